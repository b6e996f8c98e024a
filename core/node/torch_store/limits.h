// SPDX-License-Identifier: Apache-2.0
// Limits of the torch store. A client that exceeds one is disconnected; other clients are not affected.
// docs/reference/torch-store.md lists them.
#pragma once

#include <cstddef>

namespace muster::tcpstore {

struct Limits {
  size_t key = 8 << 10;             // bytes of one key, as in torch since 2.4
  size_t value = 8 << 20;           // bytes of one value in a request, as in torch; append can create longer values
  size_t keys = 128 << 10;          // keys of one request, as in torch
  size_t request = 64 << 20;        // bytes of one request
  size_t reply = 64 << 20;          // bytes of one reply, and of the unread replies of one client
  size_t memory = size_t{1} << 30;  // bytes of keys, values, queues and waiters, overhead included
  size_t buffers = 512 << 20;       // bytes of incomplete requests and unread replies of all clients together
  size_t clients = 128 << 10;
  size_t pause = 256 << 10;  // bytes of unsent replies after which a client's further requests wait
};

}  // namespace muster::tcpstore
