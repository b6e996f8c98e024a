// Limits of a store of torch's ranks. Who breaks one loses its connection; nobody else notices. docs/store.md lists
// them.
#pragma once

#include <cstddef>

namespace muster::tcpstore {

struct Limits {
  size_t key = 8 << 10;             // bytes of one key, as in torch since 2.4
  size_t value = 8 << 20;           // bytes of one value in a request, as in torch; append may make longer ones
  size_t keys = 128 << 10;          // keys of one request, as in torch
  size_t request = 64 << 20;        // bytes of one request
  size_t reply = 64 << 20;          // bytes of one reply, and of what a client has not read yet
  size_t memory = size_t{1} << 30;  // keys, values, queues and waiters of the store, with what keeping them costs
  size_t buffers = 512 << 20;       // requests that are not whole yet and replies not read yet, of all clients
  size_t clients = 128 << 10;
  size_t pause = 256 << 10;  // with so many bytes not sent, a client's further requests wait
};

}  // namespace muster::tcpstore
