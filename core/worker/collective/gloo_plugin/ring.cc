// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/gloo_plugin/ring.h"

#include <memory>
#include <vector>

namespace muster::worker {
namespace {

// Segments in flight at once. With fewer, the sender would wait for the receiver's arithmetic.
constexpr size_t slots = 4;
// Below this a segment costs more in messages than it gains in overlap.
constexpr size_t smallest_segment = size_t{64} << 10;

// Divides chunks into segments. Segment i of chunk c has the same elements on all ranks; all chunks have the same number of
// segments.
class Segments {
 public:
  Segments(const Chunks& chunks, size_t width) : chunks_(chunks) {
    const size_t bytes = chunks.largest() * width;
    const size_t fitting = (bytes + segment_bytes - 1) / segment_bytes;
    const size_t overlapping = std::min<size_t>(2, bytes / smallest_segment);
    per_chunk_ = std::max<size_t>({1, fitting, overlapping});
  }
  size_t per_chunk() const { return per_chunk_; }
  size_t at(int chunk, size_t i) const { return chunks_.at(chunk) + offset(chunk, i); }
  size_t offset(int chunk, size_t i) const {
    const size_t size = chunks_.size_of(chunk);
    return size / per_chunk_ * i + std::min(i, size % per_chunk_);
  }
  size_t size_of(int chunk, size_t i) const { return offset(chunk, i + 1) - offset(chunk, i); }
  size_t largest() const { return (chunks_.largest() + per_chunk_ - 1) / per_chunk_; }

 private:
  const Chunks& chunks_;
  size_t per_chunk_;
};

// The buffers in which a rank keeps reduced segments until they are sent on.
struct Keep {
  char* partial;  // partial results of all chunks (all_reduce: at their position in `out`) or of one (reduce_scatter)
  size_t bytes;   // size of `partial`
  bool whole;     // `partial` holds all chunks
  char* result;   // the result of this rank's chunk
};

class RingReduce {
 public:
  RingReduce(Mesh& mesh, const Operation& operation, const Chunks& chunks, const char* in, const Keep& keep, char* room)
      : mesh_(mesh),
        operation_(operation),
        width_(width_of(operation.type)),
        chunks_(chunks),
        segments_(chunks, width_),
        in_(in),
        keep_(keep),
        before_((mesh.rank() - 1 + mesh.size()) % mesh.size()),
        after_((mesh.rank() + 1) % mesh.size()),
        sources_(mesh, in, chunks.total() * width_),
        partials_(mesh, keep.partial, keep.bytes),
        total_((mesh.size() - 1) * segments_.per_chunk()) {
    const size_t each = segments_.largest() * width_;
    for (size_t i = 0; i < slots; ++i) {
      memory_[i] = room + i * each;
      views_[i] = std::make_unique<View>(mesh, memory_[i], each);
    }
  }

  static size_t room(const Chunks& chunks, size_t width) { return slots * Segments(chunks, width).largest() * width; }

  void run() {
    for (size_t i = 0; i < std::min(slots, total_); ++i) post(i);
    const int first = chunk_at(-1);
    for (size_t i = 0; i < segments_.per_chunk(); ++i) {
      sources_.send(after_, operation_.tag, segments_.at(first, i) * width_, segments_.size_of(first, i) * width_);
    }
    for (size_t i = 0; i < total_; ++i) take(i);
    sources_.wait_all_sent(after_);
    partials_.wait_all_sent(after_);
  }

 private:
  // In step s the chunk of rank r-s-2 arrives; it leaves again in step s+1. After the last step it is this rank's chunk.
  int chunk_at(int step) const { return (mesh_.rank() - step - 2 + 2 * mesh_.size()) % mesh_.size(); }
  int step_of(size_t i) const { return static_cast<int>(i / segments_.per_chunk()); }
  size_t segment_of(size_t i) const { return i % segments_.per_chunk(); }
  size_t count_of(size_t i) const { return segments_.size_of(chunk_at(step_of(i)), segment_of(i)); }

  void post(size_t i) { views_[i % slots]->receive(before_, operation_.tag, 0, count_of(i) * width_); }

  // Receives never wait for sends: a reduced segment leaves its slot at once. Otherwise all ranks could wait for each other's
  // slots.
  void take(size_t i) {
    const int chunk = chunk_at(step_of(i));
    const size_t segment = segment_of(i);
    const size_t at = segments_.offset(chunk, segment) * width_;
    views_[i % slots]->wait_received(before_);
    const bool last_step = step_of(i) == mesh_.size() - 2;
    const size_t kept = keep_.whole ? segments_.at(chunk, segment) * width_ : at;
    // If only one chunk is kept, the segment of the last step must have been sent. Sends end in the order in which they
    // began.
    if (!last_step && !keep_.whole && step_of(i) > 0) partials_.wait_sent(after_);
    combine(operation_.type, operation_.reduce, last_step ? keep_.result + at : keep_.partial + kept,
            in_ + segments_.at(chunk, segment) * width_, memory_[i % slots], count_of(i));
    if (i + slots < total_) post(i + slots);
    if (!last_step) partials_.send(after_, operation_.tag, kept, count_of(i) * width_);
  }

  Mesh& mesh_;
  const Operation& operation_;
  const size_t width_;
  const Chunks& chunks_;
  const Segments segments_;
  const char* in_;
  const Keep keep_;
  const int before_, after_;
  View sources_, partials_;
  const size_t total_;
  char* memory_[slots];
  std::unique_ptr<View> views_[slots];
};

}  // namespace

void ring_reduce_into(Mesh& mesh, const Operation& operation, const Chunks& chunks, const char* in, char* out) {
  const size_t width = width_of(operation.type);
  const Keep keep{out, chunks.total() * width, true, out + chunks.at(mesh.rank()) * width};
  RingReduce(mesh, operation, chunks, in, keep, mesh.scratch(RingReduce::room(chunks, width))).run();
}

void ring_reduce(Mesh& mesh, const Operation& operation, const Chunks& chunks, const char* in, char* out) {
  const size_t width = width_of(operation.type);
  const size_t room = RingReduce::room(chunks, width);
  const size_t chunk = mesh.size() == 2 ? 0 : chunks.largest() * width;
  char* scratch = mesh.scratch(room + chunk);
  RingReduce(mesh, operation, chunks, in, Keep{scratch + room, chunk, false, out}, scratch).run();
}

void ring_gather(Mesh& mesh, const Operation& operation, const Chunks& chunks, char* out) {
  const size_t width = width_of(operation.type);
  const Segments segments(chunks, width);
  const int size = mesh.size();
  const int before = (mesh.rank() - 1 + size) % size;
  const int after = (mesh.rank() + 1) % size;
  const auto chunk_at = [&](int step) { return (mesh.rank() - step - 1 + 2 * size) % size; };
  View view(mesh, out, chunks.total() * width);
  const auto pass_on = [&](int chunk, size_t i) {
    view.send(after, operation.tag, segments.at(chunk, i) * width, segments.size_of(chunk, i) * width);
  };
  for (int step = 0; step < size - 1; ++step) {
    const int chunk = chunk_at(step);
    for (size_t i = 0; i < segments.per_chunk(); ++i) {
      view.receive(before, operation.tag, segments.at(chunk, i) * width, segments.size_of(chunk, i) * width);
    }
  }
  for (size_t i = 0; i < segments.per_chunk(); ++i) pass_on(mesh.rank(), i);
  for (int step = 0; step < size - 1; ++step) {
    for (size_t i = 0; i < segments.per_chunk(); ++i) {
      view.wait_received(before);
      if (step < size - 2) pass_on(chunk_at(step), i);
    }
  }
  view.wait_all_sent(after);
}

}  // namespace muster::worker
