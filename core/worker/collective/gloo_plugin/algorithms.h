// SPDX-License-Identifier: Apache-2.0
// The operations of a communicator over a mesh. Each returns when its result is available and the peers have taken the data
// that it sent. The thread of the caller; throws the exceptions of mesh.h.
//
// Results are bitwise equal on every rank: each element is reduced in the same order, except that a + b may be b + a.
#pragma once

#include "core/worker/collective/gloo_plugin/mesh.h"
#include "core/worker/collective/gloo_plugin/reduce.h"

namespace muster::worker {

struct Operation {
  uint64_t tag;
  Type type;
  Reduce reduce;
  size_t count;
  int from, to;
};

void all_reduce(Mesh& mesh, const Operation& operation, const char* in, char* out);
void reduce_scatter(Mesh& mesh, const Operation& operation, const char* in, char* out);
void all_gather(Mesh& mesh, const Operation& operation, const char* in, char* out);
// Sends `data` of rank `from` to all ranks.
void broadcast(Mesh& mesh, const Operation& operation, char* data);
void send(Mesh& mesh, const Operation& operation, const char* data);
void receive(Mesh& mesh, const Operation& operation, char* data);
void barrier(Mesh& mesh, const Operation& operation);

}  // namespace muster::worker
