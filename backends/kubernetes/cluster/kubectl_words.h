// SPDX-License-Identifier: Apache-2.0
// The arguments that kubectl is called with, and the meaning of its error messages. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace muster {

// Selects the cluster. Empty: kubectl's configuration decides.
struct ClusterPlace {
  std::string context;
  std::string space;  // the namespace
  bool operator==(const ClusterPlace&) const = default;
};

// The place's flags come first, because everything after `--` belongs to a program in a pod.
std::vector<std::string> kubectl_arguments(const ClusterPlace& place, const std::vector<std::string>& words);

// Why kubectl failed, from its exit code and its stderr: a sentence with the fix and an explain code (E1652 to E1664), which
// message_parts() separates. Status codes: unavailable (no answer), unauthenticated, permission_denied (a right is missing), not_found,
// already_exists, invalid_argument (the object or the context), resource_exhausted (quota or policy), failed_precondition (JobSet or
// Kubeflow Trainer is not installed), unimplemented (kubectl is too old), unknown (any other error, in kubectl's words).
Status kubectl_trouble(const ClusterPlace& place, int code, std::string_view errors);

// unavailable: `kubectl COMMAND` did not end within `patience`. The sentence has the end of what it printed, which may be a prompt.
Status kubectl_is_late(const std::string& command, Duration patience, std::string_view errors);

// True for a line of kubectl's log (klog): "E1123 10:28:40.150887   13227 memcache.go:265] …".
bool is_kubectl_log_line(std::string_view line);

// The last line of stderr that is not a log line or a warning, without a prefix such as "error: ".
std::string kubectl_sentence(std::string_view errors);

}  // namespace muster
