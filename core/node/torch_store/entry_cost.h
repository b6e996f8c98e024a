// What an entry of the store's maps takes of memory.
#pragma once

#include <cstddef>

namespace muster::tcpstore {

// Beside the bytes of key and value: the map and the allocator.
constexpr size_t kEntryCost = 112;

}  // namespace muster::tcpstore
