// SPDX-License-Identifier: Apache-2.0
// The map `kubernetes` → JSON. Only values that differ from the defaults, so that jobs of other backends have none.
#include "core/job/file/job_json.h"

namespace muster {
namespace {

class Sparse {
 public:
  Sparse& text(std::string_view key, const std::string& value) {
    if (!value.empty()) object_.text(key, value);
    return *this;
  }
  Sparse& truth(std::string_view key, bool value) {
    if (value) object_.raw(key, "true");
    return *this;
  }
  Sparse& size(std::string_view key, uint64_t value) {
    if (value != 0) object_.size(key, value);
    return *this;
  }
  Sparse& number(std::string_view key, const std::optional<uint32_t>& value) {
    if (value) object_.number(key, *value);
    return *this;
  }
  Sparse& words(std::string_view key, const std::vector<std::string>& value) {
    if (!value.empty()) object_.raw(key, json_list(value));
    return *this;
  }
  Sparse& map(std::string_view key, const std::map<std::string, std::string>& value) {
    if (!value.empty()) object_.raw(key, json_map(value));
    return *this;
  }
  // `json` is already JSON.
  Sparse& raw(std::string_view key, const std::string& json) {
    if (!json.empty() && json != "{}" && json != "[]") object_.raw(key, json);
    return *this;
  }
  std::string done() const { return object_.done(); }

 private:
  JsonObject object_;
};

std::string volumes_json(const std::vector<VolumeSpec>& volumes) {
  std::string list = "[";
  for (const VolumeSpec& volume : volumes) {
    list += (list.size() > 1 ? "," : "") + Sparse()
                                               .text("name", volume.name)
                                               .text("mount", volume.mount)
                                               .text("sub_path", volume.sub_path)
                                               .truth("read_only", volume.read_only)
                                               .text("pvc", volume.claim)
                                               .text("host_path", volume.host_path)
                                               .size("memory", volume.memory_bytes)
                                               .map("config", volume.files)
                                               .text("secret", volume.secret)
                                               .done();
  }
  return list + "]";
}

std::string security_json(const PodSecurity& security) {
  return Sparse()
      .truth("restricted", security.restricted)
      .truth("privileged", security.privileged)
      .number("user", security.user)
      .number("group", security.group)
      .number("fs_group", security.fs_group)
      .words("capabilities", security.capabilities)
      .done();
}

std::string word_unless(std::string_view word, std::string_view usual) {
  return word == usual ? "" : std::string(word);
}

}  // namespace

std::string json_map(const std::map<std::string, std::string>& texts) {
  JsonObject object;
  for (const auto& [name, value] : texts) object.text(name, value);
  return object.done();
}

std::string group_pods_json(const GroupPods& pods) {
  return Sparse()
      .text("image", pods.image)
      .map("node_selector", pods.node_selector)
      .map("resources", pods.resources)
      .raw("tolerations", pods.tolerations)
      .done();
}

std::string kubernetes_json(const KubernetesSpec& spec) {
  return Sparse()
      .text("image", spec.image)
      .text("muster_image", spec.muster_image)
      .text("pull_policy", word_unless(to_string(spec.pull_policy), to_string(PullPolicy::usual)))
      .words("pull_secrets", spec.pull_secrets)
      .text("namespace", spec.cluster_namespace)
      .text("service_account", spec.service_account)
      .map("node_selector", spec.node_selector)
      .raw("tolerations", spec.tolerations)
      .text("priority_class", spec.priority_class)
      .text("runtime_class", spec.runtime_class)
      .text("scheduler", spec.scheduler)
      .truth("host_network", spec.host_network)
      .truth("host_ipc", spec.host_ipc)
      .size("shm", spec.shm_bytes)
      .raw("volumes", volumes_json(spec.volumes))
      .map("resources", spec.resources)
      .text("gpu_resource", word_unless(spec.gpu_resource, KubernetesSpec().gpu_resource))
      .raw("security", security_json(spec.security))
      .map("labels", spec.labels)
      .map("annotations", spec.annotations)
      .text("exclusive_topology", spec.exclusive_topology)
      .text("pack", spec.pack)
      .text("spread", spec.spread)
      .text("queue", spec.queue)
      .text("gang", word_unless(to_string(spec.gang), to_string(PodGang::none)))
      .text("ttl", spec.ttl ? format_duration(*spec.ttl) : "")
      .truth("suspend", spec.suspend)
      .text("deadline", word_unless(format_duration(spec.deadline), format_duration(Duration(0))))
      .raw("patch", spec.patch)
      .done();
}

}  // namespace muster
