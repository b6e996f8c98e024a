// FetchOrder: what a host is told of files that are to come back from it: a line of JSON. Values; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster {

struct FetchOrder {
  std::string job;                 // its id, where its code had travelled; empty: the job ran in `folder`
  std::string folder;              // absolute
  std::vector<std::string> paths;  // relative ones begin where the job's ranks did
  bool operator==(const FetchOrder&) const = default;
};

// Without a newline.
std::string to_line(const FetchOrder& order);

// invalid_argument where it is none.
Result<FetchOrder> fetch_order_from(std::string_view line);

}  // namespace muster
