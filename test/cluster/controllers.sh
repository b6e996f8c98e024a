# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Controllers of custom resources: JobSet's and, if requested, Kubeflow Trainer's and Kueue's. Sourced by control_plane. Bash.
# They run as administrator: their roles are not tested.

# controller NAME PORT PROGRAM ARGUMENT...: its CRDs and webhooks, the latter served on PORT, then the
# program with the configuration on standard input.
controller() {
  cat >"$dir/$1.yaml"
  serving_certificates
  manifests_for_port "$2" <"$bin/manifests/$1.yaml" | kubectl apply --server-side -f - >>"$dir/log/$1"
  await apiserver kubectl wait --for condition=Established crd --all # fails at once if a CRD has no condition yet
  TMPDIR=$dir/webhook spawn "$1" "${@:3}" --kubeconfig "$KUBECONFIG" --config "$dir/$1.yaml" --zap-log-level info
  await "$1" curl -fs "http://127.0.0.1:$(($2 + 1))/readyz"
}

# The folder below $TMPDIR in which controllers look for their webhooks' certificates.
serving_certificates() {
  certificates=$dir/webhook/k8s-webhook-server/serving-certs
  mkdir -p "$certificates"
  ln -sf "$dir/pki/server.crt" "$certificates/tls.crt"
  ln -sf "$dir/pki/server.key" "$certificates/tls.key"
}

# There are no services here: webhooks are called at a local port, with a certificate of the cluster's authority.
manifests_for_port() {
  sed -E "/^ *clientConfig:\$/,/^ *path: /{
      s|^( *)clientConfig:|&\n\1  caBundle: $(base64 -w0 "$dir/pki/ca.crt")|
      s|^  ( *)path: (.*)|\1url: https://127.0.0.1:$1\2|
      /^ *(service|name|namespace|port):/d
    }"
}

start_jobset() {
  controller jobset 9443 jobset <<YAML
apiVersion: config.jobset.x-k8s.io/v1alpha1
kind: Configuration
leaderElection: {leaderElect: false}
internalCertManagement: {enable: false}
webhook: {host: 127.0.0.1, port: 9443}
health: {healthProbeBindAddress: "127.0.0.1:9444"}
metrics: {bindAddress: "0"}
featureGates: {${JOBSET_GATES-}}
YAML
}

start_trainer() {
  controller trainer 9453 trainer-controller-manager <<YAML
apiVersion: config.trainer.kubeflow.org/v1alpha1
kind: Configuration
leaderElection: {leaderElect: false}
certManagement: {enable: false}
webhook: {host: 127.0.0.1, port: 9453}
health: {healthProbeBindAddress: "127.0.0.1:9454"}
metrics: {bindAddress: "0"}
statusServer: {port: 9455}
YAML
  await trainer kubectl apply --server-side -f "$bin/manifests/trainer-runtimes.yaml" # its webhook answers a moment after it is ready
}

# Outside a pod it requires metrics certificates in a fixed folder, so it gets a separate /etc.
start_kueue() {
  serving_certificates
  mkdir -p "$dir/etc/kueue/metrics"
  ln -s "$certificates" "$dir/etc/kueue/metrics/certs"
  controller kueue 9463 unshare --mount sh -c 'mount --bind "$0" /etc && exec "$@"' "$dir/etc" kueue <<YAML
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
leaderElection: {leaderElect: false}
internalCertManagement: {enable: false}
webhook: {host: 127.0.0.1, port: 9463, certDir: "$certificates"}
health: {healthProbeBindAddress: "127.0.0.1:9464"}
metrics: {bindAddress: "0"}
featureGates: {VisibilityOnDemand: false} # it would listen on a fixed port
integrations: {frameworks: [batch/job, jobset.x-k8s.io/jobset, trainer.kubeflow.org/trainjob]}
YAML
}
