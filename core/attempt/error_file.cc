// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/error_file.h"

#include <nlohmann/json.hpp>

namespace muster {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::optional<RankError> parse_error_file(std::string_view json) {
  const Json document = Json::parse(json, nullptr, false);
  if (!document.is_object() || !document.contains("message")) return std::nullopt;
  const Json& message = document["message"];
  if (message.is_string()) return RankError{message.get<std::string>(), ""};
  if (!message.is_object()) return std::nullopt;
  RankError error{text_of(message, "message"), ""};
  if (const auto more = message.find("extraInfo"); more != message.end() && more->is_object()) {
    error.traceback = text_of(*more, "py_callstack");
  }
  return error;
}

std::string error_file_with_code(std::string_view json, int code) {
  Json document = Json::parse(json, nullptr, false);
  if (!document.is_object() || !document.contains("message") || !document["message"].is_object())
    return std::string(json);
  document["message"]["errorCode"] = code;
  return document.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace muster
