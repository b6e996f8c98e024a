// What the two halves of KeyStore share. Part of it only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::tcpstore {

// What the maps and the allocator take beside the bytes of key and value.
constexpr size_t kEntryCost = 112;

enum WatchEvent : uint8_t { kUpdated = 0, kCreated = 1, kDeleted = 2, kRegistered = 3 };

}  // namespace muster::tcpstore
