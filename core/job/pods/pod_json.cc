// SPDX-License-Identifier: Apache-2.0
#include "core/job/pods/pod_json.h"

#include <iterator>
#include <nlohmann/json.hpp>

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kKibi = 1024;

}  // namespace

std::string security_json(const PodSecurity& wanted) {
  Json security = Json::object();
  if (wanted.user) security["runAsUser"] = *wanted.user;
  if (wanted.group) security["runAsGroup"] = *wanted.group;
  if (wanted.privileged) security["privileged"] = true;
  if (!wanted.capabilities.empty()) security["capabilities"]["add"] = wanted.capabilities;
  if (wanted.restricted) {
    security["runAsNonRoot"] = true;
    security["allowPrivilegeEscalation"] = false;
    security["capabilities"]["drop"] = Json::array({"ALL"});
    security["seccompProfile"] = {{"type", "RuntimeDefault"}};
  }
  return security.dump();
}

std::string volume_json(const VolumeSpec& wanted, const std::string& config_map) {
  Json volume = {{"name", wanted.name}};
  if (!wanted.claim.empty()) volume["persistentVolumeClaim"] = {{"claimName", wanted.claim}};
  if (!wanted.claim.empty() && wanted.read_only) volume["persistentVolumeClaim"]["readOnly"] = true;
  if (!wanted.host_path.empty()) volume["hostPath"] = {{"path", wanted.host_path}};
  if (wanted.memory_bytes != 0)
    volume["emptyDir"] = {{"medium", "Memory"}, {"sizeLimit", quantity(wanted.memory_bytes)}};
  if (!wanted.files.empty()) volume["configMap"] = {{"name", config_map}};
  if (!wanted.secret.empty()) volume["secret"] = {{"secretName", wanted.secret}};
  return volume.dump();
}

std::string mount_json(const VolumeSpec& wanted) {
  Json mount = {{"name", wanted.name}, {"mountPath", wanted.mount}};
  if (wanted.read_only) mount["readOnly"] = true;
  if (!wanted.sub_path.empty()) mount["subPath"] = wanted.sub_path;
  return mount.dump();
}

std::vector<VolumeSpec> volumes_of(const KubernetesSpec& wanted) {
  std::vector<VolumeSpec> volumes;
  if (wanted.shm_bytes != 0) volumes.push_back({.name = "dshm", .mount = "/dev/shm", .memory_bytes = wanted.shm_bytes});
  volumes.insert(volumes.end(), wanted.volumes.begin(), wanted.volumes.end());
  return volumes;
}

std::string quantity(uint64_t bytes) {
  const char* units[] = {"", "Ki", "Mi", "Gi", "Ti"};
  size_t unit = 0;
  while (bytes != 0 && bytes % kKibi == 0 && unit + 1 < std::size(units)) {
    bytes /= kKibi;
    ++unit;
  }
  return std::to_string(bytes) + units[unit];
}

}  // namespace muster
