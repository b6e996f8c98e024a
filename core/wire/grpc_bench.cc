// SPDX-License-Identifier: Apache-2.0
// Measures core/wire over a real socket, with each side in its own process:
//   grpc_bench serve PATH     a server that answers, echoes and floods
//   grpc_bench info PATH      a fresh process's connect and first call, then warm calls
//   grpc_bench link PATH      round trips on the agent's link
//   grpc_bench follow PATH    throughput of a follow in chunks of 64 KiB
// Built by hand: ninja grpc_bench. Not part of any test.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/wire/grpc_agent_dialer.h"
#include "core/wire/grpc_control_client.h"
#include "core/wire/grpc_server.h"
#include "core/wire/test_loop.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

double micros_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

constexpr uint64_t kChunks = 32768;
constexpr size_t kChunkBytes = 64 << 10;

// Writes chunks as fast as the window lets it; kept alive by the sink's handlers.
struct Flood {
  std::unique_ptr<FollowSink> sink;
  uint64_t written = 0;
  FollowItem item{OutputChunk{{}, std::string(kChunkBytes, 'x')}};

  void run() {
    bool room = true;
    while (room && written++ < kChunks) room = sink->write(item);
    if (written > kChunks) sink->finish(Status());
  }
};

class BenchControl final : public ControlService {
 public:
  void submit(const SubmitRequest&, std::function<void(Result<JobView>)> done) override { done(JobView()); }
  std::vector<JobView> list(const ListRequest&) override { return {}; }
  Result<JobView> describe(const DescribeRequest&) override { return JobView(); }
  void follow(const FollowRequest&, std::unique_ptr<FollowSink> sink) override {
    floods_.push_back(std::make_unique<Flood>());
    Flood* flood = floods_.back().get();
    flood->sink = std::move(sink);
    flood->sink->listen([flood] { flood->run(); }, [] {});
    flood->run();
  }
  Status stop(const std::string&, int, Duration) override { return Status(); }
  Result<JobView> arrange(const ArrangeRequest&) override { return JobView(); }
  Status remove(const std::string&) override { return Status(); }
  Status type(const TtyBytes&) override { return Status(); }
  Status note_code(const std::string&, const std::string&) override { return Status(); }
  void exec(const ExecStart&, std::unique_ptr<ExecChannel>) override {}
  ControllerInfo info() override { return {}; }
  Result<Pruned> prune(const PruneRequest&) override { return Pruned{}; }
  uint32_t end_idle_agents() override { return 0; }
  Status shutdown(bool) override { return Status(); }

 private:
  std::vector<std::unique_ptr<Flood>> floods_;
};

int serve(const std::string& path) {
  TestLoop loop;
  BenchControl control;
  std::vector<std::unique_ptr<ChannelToAgent>> agents;
  const auto echo = [&](ArrivedAgent agent) {
    ChannelToAgent* channel = agent.channel.get();
    agents.push_back(std::move(agent.channel));
    channel->listen([channel](const AgentMessage&) { channel->send(Dismiss()); }, [](const Status&) {});
  };
  const auto server = GrpcServer::listen(loop, path, control, echo);
  if (!server.ok()) return std::fprintf(stderr, "%s\n", server.status().message().c_str()), 1;
  for (;;) loop.turn();
}

int info(const std::string& path) {
  TestLoop loop;
  const auto start = Clock::now();
  GrpcControlClient client(loop, path);
  if (const auto first = client.info(); !first.ok()) return std::puts(first.status().message().c_str()), 1;
  const double first = micros_since(start);
  const auto warm = Clock::now();
  constexpr int kCalls = 2000;
  for (int i = 0; i < kCalls; ++i) static_cast<void>(client.info());
  std::printf("connect and first call %.0f us; warm call %.0f us\n", first, micros_since(warm) / kCalls);
  return 0;
}

size_t threads_now() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

int link(const std::string& path) {
  TestLoop loop;
  GrpcAgentDialer dialer(loop, path);
  std::unique_ptr<ChannelToCoordinator> channel;
  auto start = Clock::now();
  dialer.dial([&](auto dialled) {
    if (!dialled.ok()) return static_cast<void>(std::puts(dialled.status().message().c_str()));
    channel = std::move(*dialled);
  });
  if (!loop.run_until([&] { return channel != nullptr; })) return 1;
  const double dialled = micros_since(start);
  int left = 20000;
  const auto answer = [&](const CoordinatorMessage&) {
    if (--left > 0) channel->send(Report());
  };
  channel->listen(answer, [](const Status&) {});
  channel->send(Hello());
  start = Clock::now();
  channel->send(Report());
  if (!loop.run_until([&] { return left == 0; })) return 1;
  const double rate = 20000 / (micros_since(start) / 1e6);
  std::printf("dial %.0f us; %.0f round trips/s; %zu threads\n", dialled, rate, threads_now());
  return 0;
}

int follow(const std::string& path) {
  TestLoop loop;
  GrpcControlClient client(loop, path);
  uint64_t bytes = 0;
  bool ended = false;
  const auto start = Clock::now();
  const auto following = client.follow(
      {}, [&](const FollowItem& item) { bytes += std::get<OutputChunk>(item.item).bytes.size(); },
      [&](const Status& status) { std::printf("end: %s\n", status.message().c_str()), ended = true; });
  if (!loop.run_until([&] { return ended; })) return 1;
  std::printf("follow %.0f MB/s\n", static_cast<double>(bytes) / micros_since(start));
  return 0;
}

int run(const std::string& what, const std::string& path) {
  if (what == "serve") return serve(path);
  if (what == "info") return info(path);
  if (what == "link") return link(path);
  if (what == "follow") return follow(path);
  return 2;
}

}  // namespace
}  // namespace muster

int main(int count, char** arguments) { return count == 3 ? muster::run(arguments[1], arguments[2]) : 2; }
