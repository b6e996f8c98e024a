// SPDX-License-Identifier: Apache-2.0
// Finds where this process's control groups are mounted (cgroups(7), proc(5)). Pure, except for the two functions that read /proc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// The folder of our cgroup: version 2, or version 1 with `controller` ("memory"). None: there is no such cgroup.
// `root` is prepended to /proc and /sys, for tests.
std::optional<std::string> cgroup_v2_folder(const std::string& root = "");
std::optional<std::string> cgroup_v1_folder(std::string_view controller, const std::string& root = "");

// Takes the texts of /proc/self/cgroup and /proc/self/mountinfo. An empty controller means version 2.
std::optional<std::string> find_cgroup_folder(std::string_view self_cgroup, std::string_view mountinfo,
                                              std::string_view controller);

}  // namespace muster
