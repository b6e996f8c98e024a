#include "core/worker/collective/gloo_plugin/ring.h"

#include <memory>
#include <vector>

namespace muster::worker {
namespace {

// Segments that travel at once; with fewer the sender waits for the receiver's arithmetic.
constexpr size_t slots = 4;
// Below this a segment costs more in messages than it gains in overlap.
constexpr size_t smallest_segment = size_t{64} << 10;

// Segment i of chunk c is the same elements on all ranks, and all chunks have as many segments.
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

class RingReduce {
 public:
  RingReduce(Mesh& mesh, const Operation& operation, const Chunks& chunks, const char* in, char* out)
      : mesh_(mesh), operation_(operation), width_(width_of(operation.type)), chunks_(chunks), segments_(chunks, width_),
        in_(in), out_(out), before_((mesh.rank() - 1 + mesh.size()) % mesh.size()), after_((mesh.rank() + 1) % mesh.size()),
        sources_(mesh, in, chunks.total() * width_), total_((mesh.size() - 1) * segments_.per_chunk()) {
    room_ = segments_.largest() * width_;
    char* scratch = mesh.scratch(room_ * slots);
    for (size_t i = 0; i < slots; ++i) {
      memory_[i] = scratch + i * room_;
      views_[i] = std::make_unique<View>(mesh, memory_[i], room_);
    }
  }

  void run() {
    for (size_t i = 0; i < std::min(slots, total_); ++i) post(i);
    const int first = chunk_at(-1);
    for (size_t i = 0; i < segments_.per_chunk(); ++i) {
      sources_.send(after_, operation_.tag, segments_.at(first, i) * width_, segments_.size_of(first, i) * width_);
    }
    for (size_t i = 0; i < total_; ++i) take(i);
    sources_.wait_all_sent(after_);
    for (auto& view : views_) view->wait_all_sent(after_);
  }

 private:
  // In step s the chunk of rank r-s-2 arrives, and leaves again in step s+1; after the last step it is our own.
  int chunk_at(int step) const { return (mesh_.rank() - step - 2 + 2 * mesh_.size()) % mesh_.size(); }
  int chunk_of(size_t i) const { return chunk_at(static_cast<int>(i / segments_.per_chunk())); }
  size_t segment_of(size_t i) const { return i % segments_.per_chunk(); }
  size_t bytes_of(size_t i) const { return segments_.size_of(chunk_of(i), segment_of(i)) * width_; }

  void post(size_t i) { views_[i % slots]->receive(before_, operation_.tag, 0, bytes_of(i)); }

  void take(size_t i) {
    View& view = *views_[i % slots];
    char* here = memory_[i % slots];
    view.wait_received(before_);
    const bool last_step = i / segments_.per_chunk() == static_cast<size_t>(mesh_.size() - 2);
    const int chunk = chunk_of(i);
    const size_t count = segments_.size_of(chunk, segment_of(i));
    char* to = last_step ? out_ + segments_.offset(chunk, segment_of(i)) * width_ : here;
    combine(operation_.type, operation_.reduce, to, in_ + segments_.at(chunk, segment_of(i)) * width_, here, count);
    if (!last_step) view.send(after_, operation_.tag, 0, bytes_of(i));
    if (i + slots < total_) {
      view.wait_all_sent(after_);
      post(i + slots);
    }
  }

  Mesh& mesh_;
  const Operation& operation_;
  const size_t width_;
  const Chunks& chunks_;
  const Segments segments_;
  const char* in_;
  char* out_;
  const int before_, after_;
  View sources_;
  const size_t total_;
  size_t room_;
  char* memory_[slots];
  std::unique_ptr<View> views_[slots];
};

}  // namespace

void ring_reduce(Mesh& mesh, const Operation& operation, const Chunks& chunks, const char* in, char* out) {
  RingReduce(mesh, operation, chunks, in, out).run();
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
