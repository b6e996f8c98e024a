// SPDX-License-Identifier: Apache-2.0
#include "core/job/code_order.h"

#include <nlohmann/json.hpp>

#include "core/base/ids.h"

namespace muster {
namespace {

using Json = nlohmann::json;

constexpr size_t kHashLength = 32;

}  // namespace

bool is_code_hash(std::string_view text) {
  return text.size() == kHashLength && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string to_line(const CodeOrder& order) {
  const Json j = {{"job", order.job},       {"hash", order.hash},   {"bytes", order.archive_bytes},
                  {"folder", order.folder}, {"inode", order.inode}, {"changed", order.changed_nanos}};
  return j.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Result<CodeOrder> code_order_from(std::string_view line) {
  CodeOrder order;
  try {
    const Json j = Json::parse(line);
    order = {j.at("job"), j.at("hash"), j.at("bytes"), j.at("folder"), j.at("inode"), j.at("changed")};
  } catch (const Json::exception& error) {
    return Status(Code::invalid_argument, std::string("invalid code order: ") + error.what());
  }
  if (!JobId::parse(order.job).ok() || !is_code_hash(order.hash))
    return Status(Code::invalid_argument, "invalid code order: its job id or hash is invalid");
  return order;
}

}  // namespace muster
