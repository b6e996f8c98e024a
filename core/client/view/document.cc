// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/document.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/job/json_text.h"

namespace muster {

const std::vector<std::string>& document_kinds() {
  static const std::vector<std::string> kinds{"job",       "jobs",       "agents",  "event",    "output", "remark",
                                              "plan",      "torchrun",   "version", "findings", "files",  "file",
                                              "framework", "frameworks", "runtime", "runtimes", "config", "key",
                                              "diff",      "codes",      "code",    "commands", "acts",   "hosts"};
  return kinds;
}

std::string schema_of(std::string_view kind) {
  const auto& kinds = document_kinds();
  MUSTER_CHECK(std::find(kinds.begin(), kinds.end(), kind) != kinds.end());
  return "muster/" + std::string(kind) + "/v1";
}

std::string framed(std::string_view kind, std::string_view object) {
  return "{\"schema\":" + json_quoted(schema_of(kind)) + "," + std::string(object.substr(1));
}

}  // namespace muster
