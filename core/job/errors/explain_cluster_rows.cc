// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 14> kClusterRows = {{
    {"E1651", "no kubectl",
     "muster reaches clusters with your own kubectl, and so with your contexts, credentials and proxies. kubectl "
     "must be in PATH, version 1.27 or newer, and at most one minor version away from that of the cluster. To "
     "install it: https://kubernetes.io/docs/tasks/tools. Nothing else has to be installed on this machine.",
     "", ""},
    {"E1652", "kubectl has no such context",
     "kubectl's configuration (~/.kube/config, or the files that KUBECONFIG names) lists clusters as contexts. "
     "kubectl config get-contexts shows them. --context NAME selects one for a single command, kubectl config "
     "use-context NAME for all commands.",
     "", ""},
    {"E1653", "the API server does not answer",
     "kubectl cannot reach the cluster: a VPN or proxy is missing, the cluster is off, or its address or certificate "
     "has changed. kubectl cluster-info tests the same connection. Jobs in the cluster continue, and muster finds "
     "them again.",
     "", ""},
    {"E1654", "the cluster does not accept your credentials",
     "Your credentials are missing or expired, or the program that gets them for kubectl failed (aws, gcloud, az, "
     "kubelogin) or waits for a login. At a terminal, muster shows the login that such a program asks for. Without a "
     "terminal, log in first as the documentation of your cluster says. kubectl auth whoami then shows your user.",
     "", ""},
    {"E1655", "a right is missing",
     "The cluster accepts your credentials, but your role lacks a verb on a resource. An administrator can add it in "
     "your namespace. To submit jobs: create, get, list and delete on jobsets.jobset.x-k8s.io, create on secrets and "
     "configmaps, get and list on pods. To view jobs: create on pods/exec; without it, muster uses get on pods/log, "
     "and muster stop deletes the JobSet. The pods of a job need no rights. muster doctor --backend kubernetes "
     "names what is missing.",
     "", ""},
    {"E1656", "no such namespace",
     "A job needs a namespace that already exists: that of --namespace, of `kubernetes.namespace` in the job, or of "
     "kubectl's context.",
     "", ""},
    {"E1657", "JobSet is not installed, or its controller is down",
     "In a cluster, a job is a JobSet, an object of the Kubernetes project of that name. An administrator installs "
     "JobSet once (https://jobset.sigs.k8s.io). Nothing of muster has to be installed in the cluster.",
     "", ""},
    {"E1658", "refused by a policy of the cluster",
     "A webhook or an admission rule of the cluster refused the job's objects; the message says why. Set what it "
     "asks for in `kubernetes:`, or with a `kubernetes.patch`. Nothing was created.",
     "", ""},
    {"E1659", "the quota has no room",
     "The namespace has a ResourceQuota. Ended jobs count as objects, and running jobs count with the resources that "
     "they request. muster rm removes ended jobs; kubectl describe resourcequota shows what is used. Nothing was "
     "created.",
     "", ""},
    {"E1660", "the cluster finds the objects invalid",
     "The API server or JobSet found the job's objects invalid. What muster itself generates is always valid, so "
     "check `kubernetes.patch` and the names, quantities and labels in `kubernetes:`. muster render shows what is "
     "sent. Nothing was created.",
     "", ""},
    {"E1661", "the name is taken",
     "A job is a JobSet with the name of the job, and the namespace already has one, perhaps of a job that ended. "
     "Without `name`, muster gives each job a new name.",
     "name: train", "# without name: train-7f2, for example"},
    {"E1662", "kubectl is too old",
     "kubectl does not know a flag that muster uses. Use version 1.27 or newer, at most one minor version away from "
     "that of the cluster. kubectl version shows both.",
     "", ""},
    {"E1663", "the command does not exist for clusters",
     "The queue, idle agents and the removal of ended jobs belong to your controller on this machine. In a cluster, "
     "its own queue (`kubernetes.queue`) decides, and `kubernetes.ttl` says how long an ended job stays.",
     "", ""},
    {"E1664", "Kubeflow Trainer is not installed",
     "--cluster-runtimes reads the TrainingRuntimes and ClusterTrainingRuntimes of a cluster, which only Kubeflow "
     "Trainer has. Without the flag, a TrainJob uses the runtimes beside it, the registered ones, and those that are "
     "built in. A cluster without Trainer runs TrainJobs too.",
     "", ""},
}};

}  // namespace

std::span<const ExplainRow> explain_cluster_rows() { return kClusterRows; }

}  // namespace muster
