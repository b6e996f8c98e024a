// SPDX-License-Identifier: Apache-2.0
// FetchOrder: the message, one line of JSON, that asks a host for files. Values; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster {

struct FetchOrder {
  std::string job;                 // its id, if its code was copied to the host; empty: the job ran in `folder`
  std::string folder;              // absolute
  std::vector<std::string> paths;  // relative paths begin in the folder in which the ranks started
  bool operator==(const FetchOrder&) const = default;
};

// One line without a newline.
std::string to_line(const FetchOrder& order);

// invalid_argument if the line is not a valid order.
Result<FetchOrder> fetch_order_from(std::string_view line);

}  // namespace muster
