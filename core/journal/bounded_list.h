// SPDX-License-Identifier: Apache-2.0
// Bounds the size of lists that grow while a job runs. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace muster {

// If the list has more than `most` elements, removes those of its second quarter that `may_go` allows.
template <typename T, typename MayGo>
void forget_middle(std::vector<T>& told, size_t most, const MayGo& may_go) {
  if (told.size() <= most) return;
  const auto quarter = static_cast<std::ptrdiff_t>(most / 4);
  const auto end = told.begin() + 2 * quarter;
  told.erase(std::remove_if(told.begin() + quarter, end, may_go), end);
}

}  // namespace muster
