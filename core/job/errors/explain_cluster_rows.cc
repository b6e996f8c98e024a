#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 13> kClusterRows = {{
    {"E1651", "no kubectl",
     "muster reaches clusters by your own kubectl: it has your contexts, credentials and proxies. It has to be in "
     "PATH, 1.27 or newer, at most "
     "one minor version away from the cluster's. How to get it: https://kubernetes.io/docs/tasks/tools. Nothing else "
     "has to be installed here.",
     "", ""},
    {"E1652", "kubectl knows no cluster, or not this one",
     "kubectl's configuration (~/.kube/config, or the files that KUBECONFIG names) lists the clusters it knows as "
     "contexts. "
     "kubectl config get-contexts shows them; --context NAME takes one for a command, kubectl config use-context NAME "
     "for all.",
     "", ""},
    {"E1653", "the API server does not answer",
     "kubectl found no way to the cluster: a VPN or proxy is missing, the cluster is off, its address or its "
     "certificate is another. What "
     "kubectl cluster-info says is about the same way. Jobs that run there go on; commands find them again.",
     "", ""},
    {"E1654", "the cluster does not know you",
     "Credentials are missing or expired, or the program that kubectl gets them by failed (aws, gcloud, az, "
     "kubelogin). Log in again as your "
     "cluster's documentation says; kubectl auth whoami shows who you are then.",
     "", ""},
    {"E1655", "a right is missing",
     "The cluster knows you, and your role lacks a verb on a resource. An administrator adds it in your namespace. To "
     "submit: create, get, list "
     "and delete on jobsets.jobset.x-k8s.io, create on secrets and configmaps, get and list on pods. To look: create "
     "on pods/exec; without it "
     "muster reads get on pods/log, and stop deletes the JobSet. Pods of a job have no rights at all. "
     "muster doctor --backend kubernetes names what is missing.",
     "", ""},
    {"E1656", "no such namespace",
     "Jobs stand in a namespace that is there already: that of --namespace, of `kubernetes.namespace` in the job, or "
     "of kubectl's context.",
     "", ""},
    {"E1657", "the cluster has no JobSet, or its controller is away",
     "A job becomes a JobSet, an object of the Kubernetes project of that name, which an administrator installs once "
     "for all "
     "(https://jobset.sigs.k8s.io). Nothing of muster has to be installed in a cluster.",
     "", ""},
    {"E1658", "refused by the cluster's policy",
     "A webhook or an admission rule of the cluster does not take the job's objects, and says why. What it asks for is "
     "written in "
     "`kubernetes:`, or as a `kubernetes.patch`. Nothing was created.",
     "", ""},
    {"E1659", "a quota has no room",
     "The namespace has a ResourceQuota. Ended jobs count objects, running ones count what they ask for: muster rm "
     "removes those, "
     "kubectl describe resourcequota shows what is used. Nothing was created.",
     "", ""},
    {"E1660", "the cluster does not take the job's objects",
     "The API server or JobSet found them invalid. What muster makes by itself is always valid, so look at "
     "`kubernetes.patch` and at names, "
     "quantities and labels in `kubernetes:`; muster render shows what is sent. Nothing was created.",
     "", ""},
    {"E1661", "the name is taken",
     "A job is a JobSet of its name, and the namespace has one, perhaps a job that ended. Without `name` each submit "
     "gets one of its own.",
     "name: train", "# no name: train-7f2 and the like"},
    {"E1662", "kubectl is too old",
     "It does not know a flag that muster calls it with. Use 1.27 or newer, at most one minor version away from the "
     "cluster's: "
     "kubectl version shows both.",
     "", ""},
    {"E1663", "not in a cluster",
     "Queues, idle agents and the keeping of ended jobs are your controller's on this machine. In a cluster its own "
     "queue "
     "(`kubernetes.queue`) decides, and `kubernetes.ttl` says how long an ended job stays.",
     "", ""},
}};

}  // namespace

std::span<const ExplainRow> explain_cluster_rows() { return kClusterRows; }

}  // namespace muster
