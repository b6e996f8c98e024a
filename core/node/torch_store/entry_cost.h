// SPDX-License-Identifier: Apache-2.0
// Memory that an entry of the store's maps takes.
#pragma once

#include <cstddef>

namespace muster::tcpstore {

// Bytes of map and allocator overhead, in addition to key and value.
constexpr size_t kEntryCost = 112;

}  // namespace muster::tcpstore
