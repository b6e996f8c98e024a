// SPDX-License-Identifier: Apache-2.0
// Reports what a cluster cannot run, with names and positions, before the cluster is asked.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "backends/kubernetes/manifest/manifest_parts.h"
#include "core/base/text.h"
#include "core/job/file/job_problems.h"
#include "core/job/names.h"

namespace muster {
namespace {

using AnyJson = nlohmann::json;

constexpr size_t kLongestPodName = 63;
constexpr size_t kPodSuffix = 6;                 // "-x7k2p", of the Job controller
constexpr size_t kLongestVariable = 128 * 1024;  // execve(2): one string
constexpr const char* kRows = "kubernetes.";

class Checker {
 public:
  Checker(const JobSpec& spec, const ClusterJob& job, const std::string& origin, const Places& places)
      : spec_(spec),
        job_(job),
        wanted_(spec.kubernetes),
        places_(places),
        found_(origin, places) {}

  std::vector<Diagnostic> run() {
    check_strangers();
    check_names_of_pods();
    check_images();
    check_names();
    check_maps();
    check_resources();
    check_volumes();
    check_security();
    check_patch();
    check_size();
    return found_.take();
  }

 private:
  Diagnostic& add(const char* code, const std::string& path, std::string message, std::string help = "") {
    return found_.add(code, path, std::move(message), std::move(help));
  }

  std::string of_group(size_t index, const std::string& key) const {
    return "groups." + std::to_string(index) + "." + key;
  }

  std::string at_or(const std::string& path, const std::string& other) const {
    return places_.contains(path) ? path : other;
  }

  void refuse(bool asked, const std::string& path, const std::string& what, const std::string& instead) {
    if (asked) add("E1604", path, what + " is not supported on Kubernetes", instead);
  }

  // Settings that only other backends support.
  void check_strangers() {
    refuse(spec_.sync.sync, "workdir.sync", "`workdir.sync`",
           "put the code into the image or mount a volume, and remove `sync`");
    refuse(!spec_.outputs.empty(), "outputs", "`outputs`",
           "write to a volume (kubernetes.volumes), and remove `outputs`");
    refuse(!spec_.hosts.empty(), "hosts", "`hosts`", "kubernetes.node_selector chooses nodes");
    refuse(spec_.placement == Placement::cyclic, "placement", "`placement: cyclic`",
           "ranks are numbered pod by pod; kubernetes.pack and kubernetes.spread place the pods");
    refuse(spec_.priority != 0, "priority", "`priority`",
           "set kubernetes.priority_class to a priority class of the cluster");
    refuse(spec_.hold, "hold", "`hold`", "kubernetes: {suspend: true} creates the JobSet without starting it");
    refuse(spec_.busy_gpus == BusyGpus::take, "busy_gpus", "`busy_gpus: take`", "the cluster assigns GPUs; remove it");
    refuse(spec_.tty_rank.has_value(), "tty", "`tty`", "remove it; muster exec opens a terminal beside a rank");
    refuse(spec_.timeouts.queue > Duration(0), "timeouts.queue", "`timeouts.queue`",
           "the cluster's queue has its own timeout; kubernetes.deadline ends a job that runs too long");
    for (size_t i = 0; i < spec_.groups.size(); ++i) check_group(spec_.groups[i], i);
  }

  void check_group(const GroupSpec& group, size_t index) {
    refuse(!group.label.empty(), at_or(of_group(index, "label"), "label"), "`label`",
           "kubernetes.node_selector chooses nodes");
    refuse(
        group.min_nodes != group.max_nodes, of_group(index, "nodes"),
        "`nodes: " + std::to_string(group.min_nodes) + ".." + std::to_string(group.max_nodes) + "`",
        "a JobSet has a fixed number of pods; set one number, for example --nodes " + std::to_string(group.max_nodes));
    if (group.name == pod::kCoordinatorJob || group.name == pod::kVerdictJob)
      add("E1603", of_group(index, "name"), "the group name `" + group.name + "` is reserved for a pod of muster",
          "rename the group");
  }

  void check_name_of(const std::string& group, uint32_t pods, const std::string& path) {
    const size_t length = job_.name.size() + 1 + group.size() + 3 + std::to_string(pods - 1).size() + kPodSuffix;
    if (length <= kLongestPodName) return;
    add("E1602", path,
        "the pod names of " + job_.name + "-" + group + " would have " + std::to_string(length) +
            " characters; the limit is " + std::to_string(kLongestPodName),
        "shorten the name of the job or of the group by " + std::to_string(length - kLongestPodName));
  }

  // "-0-" in a pod's name: each replicated job has one Job, with the number 0.
  void check_names_of_pods() {
    check_name_of(pod::kCoordinatorJob, 1, "name");
    for (size_t i = 0; i < spec_.groups.size(); ++i) {
      const GroupSpec& group = spec_.groups[i];
      check_name_of(group.name, std::max(group.max_nodes, 1U), at_or(of_group(i, "name"), "name"));
    }
  }

  void check_image(const std::string& image, const std::string& path) {
    const size_t slash = image.rfind('/');
    const size_t end = std::min(image.find_first_of(":@", slash == image.npos ? 0 : slash), image.size());
    std::string lower = image.substr(0, end);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    lower += image.substr(end);
    if (lower == image && image.find_first_of(" \t\n\"'") == image.npos) return;
    suggest(add("E1606", path, "`" + escaped(image) + "` is not a valid image name"), lower == image ? "" : lower);
  }

  void check_images() {
    for (size_t i = 0; i < spec_.groups.size(); ++i) {
      if (pod_image_of(spec_, spec_.groups[i]).empty()) {
        add("E1601", "kubernetes.image", "no image is set for the ranks" + named(spec_.groups[i]),
            "set kubernetes: {image: REGISTRY/NAME:TAG}, or on the command line: --set "
            "kubernetes.image=REGISTRY/NAME:TAG; "
            "the image needs nothing of muster");
        break;
      }
      check_image(spec_.groups[i].kubernetes.image, of_group(i, "kubernetes.image"));
    }
    check_image(wanted_.image, "kubernetes.image");
    check_image(wanted_.muster_image, "kubernetes.muster_image");
  }

  std::string named(const GroupSpec& group) const { return spec_.groups.size() == 1 ? "" : " of group " + group.name; }

  void check_name(const std::string& name, const std::string& key, bool (*is_right)(std::string_view),
                  const char* example) {
    if (name.empty() || is_right(name)) return;
    add("E1606", kRows + key, "`" + escaped(name) + "` is not a valid name in a cluster",
        std::string("for example ") + example);
  }

  void check_names() {
    check_name(wanted_.cluster_namespace, "namespace", is_dns_label, "research");
    check_name(wanted_.service_account, "service_account", is_dns_name, "trainer");
    check_name(wanted_.priority_class, "priority_class", is_dns_name, "batch-high");
    check_name(wanted_.runtime_class, "runtime_class", is_dns_name, "nvidia");
    check_name(wanted_.scheduler, "scheduler", is_dns_name, "my-scheduler");
    check_name(wanted_.queue, "queue", is_dns_name, "team-a");
    check_name(wanted_.exclusive_topology, "exclusive_topology", is_label_key, "cloud.example/rack");
    check_name(wanted_.pack, "pack", is_label_key, "topology.kubernetes.io/zone");
    check_name(wanted_.spread, "spread", is_label_key, "kubernetes.io/hostname");
    check_name(wanted_.gpu_resource, "gpu_resource", is_label_key, "nvidia.com/gpu");
    for (const std::string& name : wanted_.pull_secrets) check_name(name, "pull_secrets", is_dns_name, "registry");
  }

  void check_map(const std::map<std::string, std::string>& map, const std::string& path, bool with_values) {
    for (const auto& [name, value] : map) {
      const std::string at = path + "." + name;
      if (!is_label_key(name))
        add("E1606", at, "`" + escaped(name) + "` is not a valid key in a cluster",
            "at most 63 letters and digits, with -_. between them; a domain and / may precede them");
      if (with_values && !is_label_value(value))
        add("E1606", at, "`" + escaped(value) + "` is not a valid label value",
            "at most 63 letters and digits, with -_. between them");
    }
  }

  void check_maps() {
    check_map(wanted_.labels, "kubernetes.labels", true);
    check_map(wanted_.annotations, "kubernetes.annotations", false);
    check_map(wanted_.node_selector, "kubernetes.node_selector", true);
    for (size_t i = 0; i < spec_.groups.size(); ++i)
      check_map(spec_.groups[i].kubernetes.node_selector, of_group(i, "kubernetes.node_selector"), true);
    for (const char* own : {kManagedBy, pod::kJobLabel, kRoleLabel}) {
      if (wanted_.labels.contains(own))
        add("E1606", std::string("kubernetes.labels.") + own,
            std::string("the label `") + own + "` is reserved for muster");
    }
  }

  void check_quantities(const std::map<std::string, std::string>& resources, const std::string& path) {
    for (const auto& [name, value] : resources) {
      if (!is_label_key(name)) add("E1606", path + "." + name, "`" + escaped(name) + "` is not a valid resource name");
      if (is_quantity(value)) continue;
      Diagnostic& wrong =
          add("E1605", path + "." + name, "`" + escaped(value) + "` is not a valid quantity of " + escaped(name),
              "for example 500m or 4 (cpu), 16Gi (memory), 1");
      suggest(wrong, nearest_quantity(value));
    }
  }

  void check_resources() {
    check_quantities(wanted_.resources, "kubernetes.resources");
    for (size_t i = 0; i < spec_.groups.size(); ++i) {
      const GroupSpec& group = spec_.groups[i];
      check_quantities(group.kubernetes.resources, of_group(i, "kubernetes.resources"));
      check_gpus(group, i);
    }
  }

  // If both are set, `resources` of the pod must be enough for the workers.
  void check_gpus(const GroupSpec& group, size_t index) {
    const auto resources = resources_of(spec_, group);
    const auto named = resources.find(wanted_.gpu_resource);
    const PodCounts counts = pod_counts(spec_, group);
    const std::string needed = std::to_string(uint64_t{counts.workers} * counts.gpus_of_worker);
    const bool whole = named == resources.end() || named->second.find_first_not_of("0123456789") == std::string::npos;
    if (!whole)
      return void(
          add("E1605", "kubernetes.resources", "the number of GPUs must be whole, not `" + named->second + "`"));
    if (named == resources.end() || std::to_string(counts.gpus) == named->second) return;
    add("E1608", of_group(index, "worker.gpus"),
        "`resources` gives the pod " + named->second + " GPUs, but its workers need " + needed,
        "remove one of the two");
  }

  int sources_of(const VolumeSpec& volume) const {
    return !volume.claim.empty() + !volume.host_path.empty() + (volume.memory_bytes != 0) + !volume.files.empty() +
           !volume.secret.empty();
  }

  void check_volumes() {
    std::set<std::string> names;
    std::set<std::string> mounts{pod::kFolder, pod::kSecretFolder};
    if (wanted_.shm_bytes != 0) mounts.insert("/dev/shm");
    for (size_t i = 0; i < wanted_.volumes.size(); ++i) {
      const VolumeSpec& volume = wanted_.volumes[i];
      const std::string path = "kubernetes.volumes." + std::to_string(i);
      check_volume(volume, path);
      if (!names.insert(volume.name).second)
        add("E1607", path + ".name", "two volumes have the name `" + volume.name + "`");
      if (!mounts.insert(volume.mount).second)
        add("E1607", path + ".mount", "the mount path `" + volume.mount + "` is already used");
    }
  }

  void check_volume(const VolumeSpec& volume, const std::string& path) {
    constexpr size_t kLongest = 63 - 1 - 40;  // a ConfigMap has the name JOB-NAME
    if (!is_dns_label(volume.name) || volume.name.size() > kLongest || is_ours(volume.name))
      add("E1607", path + ".name",
          volume.name.empty() ? "a volume has no name" : "`" + escaped(volume.name) + "` is not a valid volume name",
          "at most 22 lower-case letters and digits, with - between them; muster, muster-secret and dshm are reserved");
    const bool inside = volume.mount.find("..") != std::string::npos || volume.mount.find(':') != std::string::npos;
    if (!volume.mount.starts_with('/') || volume.mount == "/" || inside)
      add("E1607", path + ".mount",
          "`mount` must be an absolute path in the pods, not `" + escaped(volume.mount) + "`");
    if (sources_of(volume) != 1)
      add("E1607", path, sources_of(volume) == 0 ? "the volume has no source" : "the volume has more than one source",
          "set one of pvc, host_path, memory, config and secret");
    if (!volume.host_path.empty() && !volume.host_path.starts_with('/'))
      add("E1607", path + ".host_path", "`host_path` must be an absolute path on the node");
    if (volume.sub_path.starts_with('/') || volume.sub_path.find("..") != std::string::npos)
      add("E1607", path + ".sub_path", "`sub_path` must be a path within the volume");
    check_files(volume, path + ".config");
  }

  bool is_ours(const std::string& name) const { return name == "muster" || name == "muster-secret" || name == "dshm"; }

  void check_files(const VolumeSpec& volume, const std::string& path) {
    constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    for (const auto& [name, text] : volume.files) {
      const bool right = name.find_first_not_of(kAllowed) == name.npos && name != "." && name != ".." && !name.empty();
      if (!right)
        add("E1607", path + "." + name, "`" + escaped(name) + "` is not a valid file name in a ConfigMap",
            "use letters, digits and -_.");
    }
  }

  void check_security() {
    const PodSecurity& security = wanted_.security;
    if (!security.restricted) return;
    const auto contradict = [&](bool said, const char* path, const char* what) {
      if (said)
        add("E1609", path, std::string(what) + " is not allowed by `security: {restricted: true}`",
            "remove one of the two");
    };
    const auto is_allowed = [](const std::string& each) { return each == "NET_BIND_SERVICE"; };
    const auto& more = security.capabilities;
    contradict(security.privileged, "kubernetes.security.privileged", "`privileged`");
    contradict(security.user == 0U, "kubernetes.security.user", "`user: 0`");
    contradict(!std::all_of(more.begin(), more.end(), is_allowed), "kubernetes.security.capabilities",
               "a capability other than NET_BIND_SERVICE");
    contradict(wanted_.host_network, "kubernetes.host_network", "`host_network`");
    contradict(wanted_.host_ipc, "kubernetes.host_ipc", "`host_ipc`");
    for (size_t i = 0; i < wanted_.volumes.size(); ++i) {
      const std::string path = "kubernetes.volumes." + std::to_string(i) + ".host_path";
      contradict(!wanted_.volumes[i].host_path.empty(), path.c_str(), "`host_path`");
    }
  }

  // muster finds the job again by these fields.
  void check_patch() {
    if (wanted_.patch.empty()) return;
    const AnyJson patch = AnyJson::parse(wanted_.patch, nullptr, false);
    const bool identity = patch.contains("kind") || patch.contains("apiVersion") ||
                          patch.contains("/metadata/name"_json_pointer) ||
                          patch.contains("/metadata/namespace"_json_pointer);
    if (identity)
      add("E1610", "kubernetes.patch", "a patch must not change kind, apiVersion, name or namespace of the JobSet",
          "use `name` of the job and kubernetes.namespace");
    else if (!jobs_are_known(patch))
      add("E1610", "kubernetes.patch", "a patch of `replicatedJobs` may only change existing jobs",
          "these are coordinator, verdict, and the groups");
  }

  bool jobs_are_known(const AnyJson& patch) const {
    const auto pointer = "/spec/replicatedJobs"_json_pointer;
    if (!patch.contains(pointer)) return true;
    const AnyJson& jobs = patch.at(pointer);
    return jobs.is_array() && std::all_of(jobs.begin(), jobs.end(), [&](const AnyJson& each) {
             if (!each.is_object() || each.contains("$patch")) return false;
             const AnyJson name = each.value("name", AnyJson());
             return name == pod::kCoordinatorJob || name == pod::kVerdictJob ||
                    std::any_of(spec_.groups.begin(), spec_.groups.end(),
                                [&](const GroupSpec& group) { return name == group.name; });
           });
  }

  // Objects are JSON, so all values must be text. The whole job is one environment variable of a pod.
  void check_size() {
    const std::string whole = spec_to_json(spec_);
    if (!is_text(whole)) add("E1606", "kubernetes", "the job contains text that is not UTF-8");
    const size_t bytes = whole.size() + std::string(pod::kJobVariable).size() + 1;
    if (bytes < kLongestVariable) return;
    add("E1611", "",
        "the job is " + humane_size(bytes) + " large; the limit in a cluster is " + humane_size(kLongestVariable),
        "put long texts into files of the image or a volume");
  }

  const JobSpec& spec_;
  const ClusterJob& job_;
  const KubernetesSpec& wanted_;
  const Places& places_;
  JobProblems found_;
};

}  // namespace

std::vector<Diagnostic> check_for_cluster(const JobSpec& spec, const ClusterJob& job, const std::string& origin,
                                          const Places& places) {
  return Checker(spec, job, origin, places).run();
}

}  // namespace muster
