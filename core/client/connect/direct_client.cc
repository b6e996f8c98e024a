// SPDX-License-Identifier: Apache-2.0
#include "core/client/connect/direct_client.h"

#include <deque>
#include <utility>

namespace muster {
namespace {

// Most items buffered per stream: bounds the memory if ranks print faster than the output is shown.
constexpr size_t kWindow = 64;

// State shared by sink and reader; it lives until both are destroyed.
struct Stream {
  explicit Stream(Loop& used) : loop(used) {}
  Loop& loop;
  std::deque<FollowItem> items;
  std::function<void(const FollowItem&)> on_item;
  std::function<void(const Status&)> on_end;
  std::function<void()> writable;
  std::function<void()> gone;
  std::optional<Status> end;
  bool reader_left = false;
  bool turn_due = false;
  bool held = false;
};

void schedule(const std::shared_ptr<Stream>& stream);

void take_turn(const std::shared_ptr<Stream>& stream) {
  stream->turn_due = false;
  if (stream->reader_left || stream->held) return;
  if (!stream->items.empty()) {
    const FollowItem item = std::move(stream->items.front());
    stream->items.pop_front();
    stream->on_item(item);
    if (stream->writable && stream->items.size() == kWindow / 2) stream->writable();
    return schedule(stream);
  }
  if (stream->end) std::exchange(stream->on_end, nullptr)(*stream->end);
}

void schedule(const std::shared_ptr<Stream>& stream) {
  const bool anything = !stream->items.empty() || (stream->end && stream->on_end);
  if (stream->turn_due || stream->held || !anything) return;
  stream->turn_due = true;
  stream->loop.post([stream] { take_turn(stream); });
}

class Sink final : public FollowSink {
 public:
  explicit Sink(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}
  ~Sink() override {
    stream_->writable = nullptr;
    stream_->gone = nullptr;
  }
  bool write(const FollowItem& item) override {
    if (stream_->reader_left) return false;
    stream_->items.push_back(item);
    schedule(stream_);
    return stream_->items.size() < kWindow;
  }
  void listen(std::function<void()> writable, std::function<void()> gone) override {
    stream_->writable = std::move(writable);
    stream_->gone = std::move(gone);
  }
  void finish(const Status& status) override {
    stream_->end = status;
    schedule(stream_);
  }

 private:
  std::shared_ptr<Stream> stream_;
};

class Reader final : public JobReadClient::Following {
 public:
  explicit Reader(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}
  ~Reader() override {
    stream_->reader_left = true;
    stream_->loop.post([stream = stream_] {
      if (stream->gone) stream->gone();
    });
  }
  void hold(bool held) override {
    stream_->held = held;
    schedule(stream_);
  }

 private:
  std::shared_ptr<Stream> stream_;
};

}  // namespace

Result<JobView> DirectClient::submit(const SubmitRequest& request) {
  Result<JobView> answer = Status(Code::internal, "the controller did not answer");
  service_.submit(request, [&](Result<JobView> given) { answer = std::move(given); });
  return answer;
}

std::unique_ptr<JobReadClient::Following> DirectClient::follow(const FollowRequest& request,
                                                               std::function<void(const FollowItem&)> on_item,
                                                               std::function<void(const Status&)> on_end) {
  auto stream = std::make_shared<Stream>(loop_);
  stream->on_item = std::move(on_item);
  stream->on_end = std::move(on_end);
  service_.follow(request, std::make_unique<Sink>(stream));
  return std::make_unique<Reader>(stream);
}

}  // namespace muster
