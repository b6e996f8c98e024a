// SPDX-License-Identifier: Apache-2.0
// Quantities of Kubernetes as numbers. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace muster {

// Kubernetes keeps no larger quantity: 2^63 - 1.
constexpr double kLargestQuantity = 0x1p63;

// "500m" → 0.5, "2Gi" → 2147483648, "1e3" → 1000. The result is finite and may be larger than kLargestQuantity. nullopt:
// no quantity, or a negative one.
std::optional<double> quantity_value(std::string_view text);

}  // namespace muster
