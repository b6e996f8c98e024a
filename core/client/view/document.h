// The frame of every JSON document that muster prints: which kind it is and of which version, in one place. A version
// changes when a name goes or changes its meaning; new names come without one. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Every kind, as docs/json.md has them.
const std::vector<std::string>& document_kinds();

// "muster/job/v1"; `kind` is one of document_kinds().
std::string schema_of(std::string_view kind);

// The text of a JSON object, not empty, with "schema" as its first name; on one line without its end.
std::string framed(std::string_view kind, std::string_view object);

// The same of nlohmann's object. Bytes that are no text become U+FFFD.
template <typename Json>
std::string document_of(std::string_view kind, const Json& object) {
  return framed(kind, object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace muster
