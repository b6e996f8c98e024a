// The operations of a communicator over a mesh. Each waits until its result is there and what it sent was taken. The
// thread of the caller; throws what mesh.h throws.
//
// Results are the same bits on every rank: each element is reduced in one order, or in orders that differ by a + b = b
// + a.
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
// `data` of rank `from`, to all.
void broadcast(Mesh& mesh, const Operation& operation, char* data);
void send(Mesh& mesh, const Operation& operation, const char* data);
void receive(Mesh& mesh, const Operation& operation, char* data);
void barrier(Mesh& mesh, const Operation& operation);

}  // namespace muster::worker
