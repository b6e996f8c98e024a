// SPDX-License-Identifier: Apache-2.0
// Makes tables fit narrow terminals. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"

namespace muster {

// Drops columns in the order of `titles` (the first row has the titles) until the last column has at least `reserve` of
// the terminal's `columns`. `columns` 0: no limit.
void drop_until_fits(std::vector<Row>& rows, const std::vector<std::string>& titles, size_t columns, size_t reserve);

}  // namespace muster
