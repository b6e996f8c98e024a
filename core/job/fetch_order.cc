// SPDX-License-Identifier: Apache-2.0
#include "core/job/fetch_order.h"

#include <nlohmann/json.hpp>

#include "core/base/ids.h"

namespace muster {

using Json = nlohmann::json;

std::string to_line(const FetchOrder& order) {
  const Json j = {{"job", order.job}, {"folder", order.folder}, {"paths", order.paths}};
  return j.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Result<FetchOrder> fetch_order_from(std::string_view line) {
  FetchOrder order;
  try {
    const Json j = Json::parse(line);
    order = {j.at("job"), j.at("folder"), j.at("paths").get<std::vector<std::string>>()};
  } catch (const Json::exception& error) {
    return Status(Code::invalid_argument, std::string("invalid fetch order: ") + error.what());
  }
  const bool named = order.job.empty() ? order.folder.starts_with('/') : JobId::parse(order.job).ok();
  if (!named || order.paths.empty())
    return Status(Code::invalid_argument, "invalid fetch order: it has no job and folder, or no paths");
  return order;
}

}  // namespace muster
