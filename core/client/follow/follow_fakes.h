// SPDX-License-Identifier: Apache-2.0
// Fakes for tests of following: a controller whose stream the test writes, and a presenter that records its calls.
#pragma once

#include <string>
#include <vector>

#include "core/client/follow/presenter.h"
#include "core/port/control.h"

namespace muster {

// Answers every call at once. `streams` are the follows that were requested; the test sends their items.
class FakeClient final : public ControlClient {
 public:
  struct Stream {
    FollowRequest request;
    std::function<void(const FollowItem&)> on_item;
    std::function<void(const Status&)> on_end;
    std::shared_ptr<bool> held = std::make_shared<bool>(false);
  };
  class Held final : public Following {
   public:
    explicit Held(std::shared_ptr<bool> held) : held_(std::move(held)) {}
    void hold(bool held) override { *held_ = held; }

   private:
    std::shared_ptr<bool> held_;
  };
  struct Stop {
    std::string job;
    bool kill = false;
    Duration grace{0};
    int signal = SIGTERM;
    bool operator==(const Stop&) const = default;
  };

  Result<JobView> submit(const SubmitRequest&) override { return view; }
  Result<std::vector<JobView>> list(const ListRequest&) override { return std::vector<JobView>{view}; }
  Result<JobView> describe(const DescribeRequest&) override {
    ++describes;
    return view;
  }
  Status stop(const std::string& job, int signal, Duration grace) override {
    if (stop_answer.ok()) stops.push_back({job, signal == SIGKILL, grace, signal == SIGKILL ? SIGTERM : signal});
    return stop_answer;
  }
  Result<JobView> arrange(const ArrangeRequest&) override { return view; }
  Status remove(const std::string&) override { return {}; }
  Status note_code(const std::string&, const std::string&) override { return {}; }
  Status type(const TtyBytes& typed) override {
    keys += typed.bytes;
    return {};
  }
  std::unique_ptr<ExecChannel> exec(const ExecStart&) override { return nullptr; }
  Result<ControllerInfo> info() override { return ControllerInfo{}; }
  Result<Pruned> prune(const PruneRequest&) override { return Pruned{}; }
  Result<uint32_t> end_idle_agents() override { return 0u; }
  Status shutdown(bool) override { return {}; }

  std::unique_ptr<Following> follow(const FollowRequest& request, std::function<void(const FollowItem&)> on_item,
                                    std::function<void(const Status&)> on_end) override {
    streams.push_back({request, std::move(on_item), std::move(on_end)});
    return std::make_unique<Held>(streams.back().held);
  }

  void send(FollowItem item) { send_on(streams.size() - 1, std::move(item)); }
  void send_on(size_t stream, FollowItem item) { Stream(streams.at(stream)).on_item(item); }
  void end(const Status& status) { Stream(streams.back()).on_end(status); }

  JobView view;
  int describes = 0;
  Status stop_answer;
  std::vector<Stop> stops;
  std::vector<Stream> streams;
  std::string keys;
};

inline OutputChunk chunk_of(uint32_t index, uint64_t offset, std::string bytes, Attempt attempt = 1,
                            OutputStream stream = OutputStream::out) {
  return {{attempt, index, stream, offset}, std::move(bytes)};
}

inline JobEvent event_of(uint64_t sequence, std::string sentence, std::string state = "running") {
  return {
      .sequence = sequence, .kind = "told", .state = std::move(state), .attempt = 1, .sentence = std::move(sentence)};
}

inline JobView view_of(size_t ranks, std::string state = "running") {
  JobView job{.name = "train-7f2",
              .state = std::move(state),
              .framework = "torch",
              .backend = "local",
              .attempt = 1,
              .nodes = 1};
  job.done = job.state == "succeeded" || job.state == "failed" || job.state == "cancelled";
  job.submitted = from_unix_nanos(1'000'000'000);
  for (uint32_t i = 0; i < ranks; ++i) {
    job.ranks.push_back({.index = i,
                         .group = "worker",
                         .rank = i,
                         .name = "rank " + std::to_string(i),
                         .host = "here",
                         .phase = RankPhase::running});
  }
  return job;
}

class RecordingPresenter : public Presenter {
 public:
  void event(const JobEvent& event) override { lines.push_back("event " + event.sentence); }
  void view(const JobView& job) override { lines.push_back("view " + job.state); }
  void output(const OutputChunk& chunk) override { lines.push_back("output " + chunk.bytes); }
  void remark(const std::string& sentence) override { lines.push_back("remark " + sentence); }
  void end(const JobView& job) override { lines.push_back("end " + job.state); }
  std::vector<std::string> lines;
};

}  // namespace muster
