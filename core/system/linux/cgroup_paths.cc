// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/cgroup_paths.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

bool names(const std::string& comma_list, std::string_view word) {
  const std::vector<std::string> parts = split(comma_list, ',');
  return std::find(parts.begin(), parts.end(), word) != parts.end();
}

// "4:memory:/user/x" or, for version 2, "0::/user.slice/x".
std::optional<std::string> own_path(std::string_view self_cgroup, std::string_view controller) {
  for (const std::string& line : split(self_cgroup, '\n')) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool wanted = controller.empty() ? controllers.empty() : names(controllers, controller);
    if (wanted) return line.substr(second + 1);
  }
  return std::nullopt;
}

struct Mount {
  std::string root;  // folder of the hierarchy that is mounted
  std::string point;
};

// "36 35 98:0 /root /mnt rw,noatime master:1 - cgroup2 cgroup2 rw,memory" (proc(5)).
std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view controller) {
  for (const std::string& line : split(mountinfo, '\n')) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> left = split(line.substr(0, dash), ' ');
    const std::vector<std::string> right = split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.size() < 3) continue;
    const bool wanted =
        controller.empty() ? right[0] == "cgroup2" : right[0] == "cgroup" && names(right[2], controller);
    if (wanted) return Mount{left[3], left[4]};
  }
  return std::nullopt;
}

// A mount may show only a part of the hierarchy (containers). A path outside of it is taken as the mount's top.
std::string below_mount(const Mount& mount, const std::string& path) {
  std::string rest = path;
  if (mount.root != "/") rest = path.starts_with(mount.root) ? path.substr(mount.root.size()) : "/";
  if (rest.starts_with("/..")) rest = "/";
  return rest == "/" || rest.empty() ? mount.point : mount.point + rest;
}

std::optional<std::string> folder_for(std::string_view controller, const std::string& root) {
  const auto self_cgroup = read_small_file(root + "/proc/self/cgroup");
  const auto mountinfo = read_small_file(root + "/proc/self/mountinfo");
  if (!self_cgroup || !mountinfo) return std::nullopt;
  const auto folder = find_cgroup_folder(*self_cgroup, *mountinfo, controller);
  if (!folder) return std::nullopt;
  return root + *folder;
}

}  // namespace

std::optional<std::string> find_cgroup_folder(std::string_view self_cgroup, std::string_view mountinfo,
                                              std::string_view controller) {
  const auto path = own_path(self_cgroup, controller);
  const auto mount = find_mount(mountinfo, controller);
  if (!path || !mount) return std::nullopt;
  return below_mount(*mount, *path);
}

std::optional<std::string> cgroup_v2_folder(const std::string& root) { return folder_for("", root); }

std::optional<std::string> cgroup_v1_folder(std::string_view controller, const std::string& root) {
  return folder_for(controller, root);
}

}  // namespace muster
