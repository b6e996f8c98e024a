# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Settings of a node's containerd, kubelet and pod network. Sourced by node. Bash.

write_node_files() {
  cat >"$home/cni/pods.conflist" <<JSON
{"cniVersion": "1.0.0", "name": "pods", "plugins": [{"type": "bridge", "bridge": "cni0", "isGateway": true,
 "ipam": {"type": "host-local", "ranges": [[{"subnet": "$net.$((16 + n)).0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
JSON
  cat >"$home/containerd.toml" <<TOML
version = 3
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = 'localhost/base:1'
[plugins.'io.containerd.cri.v1.runtime']
  disable_apparmor = true
  restrict_oom_score_adj = true # without CAP_SYS_RESOURCE runc fails to lower the score
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ['$bin']
  conf_dir = '$home/cni'
  use_internal_loopback = true
TOML
  cat >"$home/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, x509: {clientCAFile: $dir/pki/ca.crt}}
tlsCertFile: $dir/pki/$name.crt
tlsPrivateKeyFile: $dir/pki/$name.key
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /$group/$name
failCgroupV1: false
failSwapOn: false
makeIPTablesUtilChains: false
maxOpenFiles: 20000 # the default is above the hard limit of some machines
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 50Mi}
nodeStatusUpdateFrequency: 4s
clusterDomain: cluster.local
clusterDNS: [$dns]
resolvConf: ""
YAML
}
