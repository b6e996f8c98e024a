// Tables on narrow terminals. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"

namespace muster {

// Drops columns, which the first row names, in the order of `titles`, until what stands before the last one leaves `reserve` of
// `columns` (0: any number of them).
void drop_until_fits(std::vector<Row>& rows, const std::vector<std::string>& titles, size_t columns, size_t reserve);

}  // namespace muster
