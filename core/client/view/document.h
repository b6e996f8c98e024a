// SPDX-License-Identifier: Apache-2.0
// The "schema" member of every JSON document that muster prints: its kind and version. The version changes if a name is
// removed or changes its meaning; new names do not change it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

// All kinds; docs/reference/json.md describes them.
const std::vector<std::string>& document_kinds();

// "muster/job/v1"; `kind` is one of document_kinds().
std::string schema_of(std::string_view kind);

// The JSON object with "schema" as its first member, on one line without a line end. `object` must not be empty.
std::string framed(std::string_view kind, std::string_view object);

// The same for an nlohmann object. Bytes that are not UTF-8 become U+FFFD.
template <typename Json>
std::string document_of(std::string_view kind, const Json& object) {
  return framed(kind, object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace muster
