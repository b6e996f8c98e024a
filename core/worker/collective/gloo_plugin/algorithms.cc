// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/gloo_plugin/algorithms.h"

#include <algorithm>
#include <cstring>

#include "core/worker/collective/gloo_plugin/ring.h"

namespace muster::worker {
namespace {

// Up to this many bytes a tree (few messages, one after the other) is faster than the ring (many at once).
constexpr size_t small = size_t{16} << 10;

size_t bytes_of(const Operation& operation) { return operation.count * width_of(operation.type); }

void copy(char* to, const char* from, size_t bytes) {
  if (to != from && bytes > 0) std::memmove(to, from, bytes);
}

void finish(const Operation& operation, Mesh& mesh, char* values, size_t count) {
  if (operation.reduce == Reduce::average) divide(operation.type, values, count, mesh.size());
}

// Reduces up a binomial tree to rank 0 and sends the result down again. An exchange by pairs would need half as many hops, but
// if two ranks write to each other at once, Gloo's thread spins on the lock of a pair whose owner it has preempted. On few
// cores that costs milliseconds (35 µs by tree, 300 µs by exchange for 4 bytes, 2 ranks on 2 cores).
void up_and_down(Mesh& mesh, const Operation& operation, char* values) {
  const size_t bytes = bytes_of(operation);
  std::vector<int> children;
  int reach = 1;  // the lowest bit of the rank: children are rank + every smaller one
  for (; reach < mesh.size() && !(mesh.rank() & reach); reach *= 2) {
    if (mesh.rank() + reach < mesh.size()) children.push_back(mesh.rank() + reach);
  }
  const int parent = mesh.rank() - reach;
  char* room = mesh.scratch(bytes * children.size() + 1);
  View mine(mesh, values, bytes), theirs(mesh, room, bytes * children.size());
  for (size_t i = 0; i < children.size(); ++i) theirs.receive(children[i], operation.tag, i * bytes, bytes);
  // Waits for all values before reducing, because they arrive in any order.
  for (const int child : children) theirs.wait_received(child);
  for (size_t i = 0; i < children.size() && bytes > 0; ++i) {
    combine(operation.type, operation.reduce, values, values, room + i * bytes, operation.count);
  }
  if (mesh.rank() != 0) {
    // The parent answers only after it has this rank's values, so they may be overwritten.
    mine.receive(parent, operation.tag, 0, bytes);
    mine.send(parent, operation.tag, 0, bytes);
    mine.wait_sent(parent);
    mine.wait_received(parent);
  }
  for (auto child = children.rbegin(); child != children.rend(); ++child) mine.send(*child, operation.tag, 0, bytes);
  if (!children.empty()) mine.wait_all_sent(children.front());
}

// A small gather is done as a reduction: each rank's part among zeros, summed byte by byte.
void all_gather_small(Mesh& mesh, const Operation& operation, char* out) {
  const size_t bytes = bytes_of(operation), own = bytes * mesh.rank(), all = bytes * mesh.size();
  std::fill(out, out + own, 0);
  std::fill(out + own + bytes, out + all, 0);
  up_and_down(mesh, Operation{operation.tag, Type::uint8, Reduce::sum, all, 0, 0}, out);
}

void reduce_scatter_small(Mesh& mesh, const Operation& operation, const char* in, char* out) {
  const size_t bytes = bytes_of(operation);
  std::vector<char> all(in, in + bytes * mesh.size());
  Operation whole = operation;
  whole.count *= mesh.size();
  up_and_down(mesh, whole, all.data());
  copy(out, all.data() + bytes * mesh.rank(), bytes);
}

}  // namespace

void all_reduce(Mesh& mesh, const Operation& operation, const char* in, char* out) {
  if (operation.count == 0) return barrier(mesh, operation);
  const size_t bytes = bytes_of(operation);
  if (mesh.size() == 1 || bytes <= small) {
    copy(out, in, bytes);
    if (mesh.size() > 1) up_and_down(mesh, operation, out);
    return finish(operation, mesh, out, operation.count);
  }
  const Chunks chunks = Chunks::shares(operation.count, mesh.size());
  const size_t width = width_of(operation.type);
  char* share = out + chunks.at(mesh.rank()) * width;
  ring_reduce_into(mesh, operation, chunks, in, out);
  finish(operation, mesh, share, chunks.size_of(mesh.rank()));
  ring_gather(mesh, operation, chunks, out);
}

void reduce_scatter(Mesh& mesh, const Operation& operation, const char* in, char* out) {
  if (operation.count == 0) return barrier(mesh, operation);
  if (mesh.size() == 1) {
    copy(out, in, bytes_of(operation));
  } else if (bytes_of(operation) * mesh.size() <= small) {
    reduce_scatter_small(mesh, operation, in, out);
  } else {
    ring_reduce(mesh, operation, Chunks::equal(operation.count, mesh.size()), in, out);
  }
  finish(operation, mesh, out, operation.count);
}

void all_gather(Mesh& mesh, const Operation& operation, const char* in, char* out) {
  if (operation.count == 0) return barrier(mesh, operation);
  const size_t bytes = bytes_of(operation);
  copy(out + mesh.rank() * bytes, in, bytes);
  if (mesh.size() == 1) return;
  if (bytes * mesh.size() <= small) return all_gather_small(mesh, operation, out);
  ring_gather(mesh, operation, Chunks::equal(operation.count, mesh.size()), out);
}

// A binomial tree: a rank forwards each segment while it receives the next.
void broadcast(Mesh& mesh, const Operation& operation, char* data) {
  if (operation.count == 0) return barrier(mesh, operation);
  if (mesh.size() == 1) return;
  const size_t bytes = bytes_of(operation);
  const int size = mesh.size();
  const int place = (mesh.rank() - operation.from + size) % size;
  const auto rank_of = [&](int other) { return (other + operation.from) % size; };
  int reach = 1;  // the lowest bit of the place: children are place + every smaller one
  while (reach < size && !(place & reach)) reach *= 2;
  const int parent = rank_of(place - (place & reach));
  std::vector<int> children;
  for (int bit = reach / 2; bit > 0; bit /= 2) {
    if (place + bit < size) children.push_back(rank_of(place + bit));
  }
  View view(mesh, data, bytes);
  if (place != 0)
    for_segments(bytes, [&](size_t at, size_t length) { view.receive(parent, operation.tag, at, length); });
  for_segments(bytes, [&](size_t at, size_t length) {
    if (place != 0) view.wait_received(parent);
    for (const int child : children) view.send(child, operation.tag, at, length);
  });
  view.wait_all_sent(children.empty() ? parent : children.front());
}

void send(Mesh& mesh, const Operation& operation, const char* data) {
  const size_t bytes = bytes_of(operation);
  View view(mesh, data, bytes);
  for_segments(bytes, [&](size_t at, size_t length) { view.send(operation.to, operation.tag, at, length); });
  view.wait_all_sent(operation.to);
}

void receive(Mesh& mesh, const Operation& operation, char* data) {
  const size_t bytes = bytes_of(operation);
  View view(mesh, data, bytes);
  for_segments(bytes, [&](size_t at, size_t length) { view.receive(operation.from, operation.tag, at, length); });
  for_segments(bytes, [&](size_t, size_t) { view.wait_received(operation.from); });
}

// Also used for collectives of 0 elements, which must synchronize the ranks too.
void barrier(Mesh& mesh, const Operation& operation) {
  Operation nothing = operation;
  nothing.count = 0;
  char none = 0;
  if (mesh.size() > 1) up_and_down(mesh, nothing, &none);
}

}  // namespace muster::worker
