// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/narrow.h"

#include <algorithm>

namespace muster {

void drop_until_fits(std::vector<Row>& rows, const std::vector<std::string>& titles, size_t columns, size_t reserve) {
  for (const std::string& title : titles) {
    if (columns == 0 || width_before_last(rows) + reserve <= columns) return;
    const Row& first = rows.front();
    const auto found = std::find_if(first.begin(), first.end(), [&](const Cell& cell) { return cell.text == title; });
    if (found != first.end()) drop_column(rows, static_cast<size_t>(found - first.begin()));
  }
}

}  // namespace muster
