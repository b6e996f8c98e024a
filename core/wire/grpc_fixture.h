// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of this folder: a real server on a real socket in a temporary folder, and a service that records its
// calls. Tests only.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/wire/grpc_agent_dialer.h"
#include "core/wire/grpc_control_client.h"
#include "core/wire/grpc_server.h"
#include "core/wire/test_loop.h"

namespace muster {

class ScriptedControl final : public ControlService {
 public:
  void submit(const SubmitRequest& request, std::function<void(Result<JobView>)> done) override {
    submitted.push_back(request);
    if (hold_submits) return held.push_back(std::move(done));
    done(job);
  }
  std::vector<JobView> list(const ListRequest& request) override {
    return std::vector<JobView>(request.all ? 2 : 1, job);
  }
  Result<JobView> describe(const DescribeRequest& request) override {
    examined = request.examine;
    if (request.job == job.name) return job;
    return failure;
  }
  void follow(const FollowRequest& request, std::unique_ptr<FollowSink> sink) override {
    follows.push_back(request);
    sinks.push_back(std::move(sink));
  }
  Status stop(const std::string& name, int signal, Duration grace) override {
    asked = name + (signal == SIGKILL ? " kill " : " term ") + std::to_string(grace.count());
    return Status();
  }
  Result<JobView> arrange(const ArrangeRequest& request) override {
    arranged.push_back(request);
    return job;
  }
  Status remove(const std::string&) override { return failure; }
  Status note_code(const std::string& noted, const std::string& commit) override {
    asked = noted + " " + commit;
    return Status();
  }
  Status type(const TtyBytes& typed) override {
    asked = typed.job + " " + typed.bytes + " " + std::to_string(typed.rows);
    return Status();
  }
  void exec(const ExecStart& start, std::unique_ptr<ExecChannel> viewer) override {
    execs.push_back(start);
    viewers.push_back(std::move(viewer));
    if (on_exec) on_exec();
  }
  ControllerInfo info() override { return {"0.1.0", "hash", 42, {}, "/state", 3}; }
  Result<Pruned> prune(const PruneRequest& request) override {
    return Pruned{{"old"}, request.bytes.value_or(0), request.look_only ? 1u : 2u};
  }
  uint32_t end_idle_agents() override { return 3; }
  Status shutdown(bool force) override { return force ? Status() : failure; }

  JobView job;
  Status failure{Code::not_found, "there is no job `nix`; nearest: `nils`"};
  bool hold_submits = false;
  std::vector<std::function<void(Result<JobView>)>> held;
  std::vector<SubmitRequest> submitted;
  std::vector<FollowRequest> follows;
  std::vector<std::unique_ptr<FollowSink>> sinks;
  bool examined = false;
  std::vector<ArrangeRequest> arranged;
  std::vector<ExecStart> execs;
  std::vector<std::unique_ptr<ExecChannel>> viewers;
  std::function<void()> on_exec;
  std::string asked;
};

class GrpcFixture : public testing::Test {
 protected:
  GrpcFixture() {
    char folder[] = "/tmp/muster-grpc-XXXXXX";
    folder_ = mkdtemp(folder);
    path_ = folder_ + "/control";
    service_.job.name = "nils";
    Random random(7);
    service_.job.id = JobId::make(random);
  }
  ~GrpcFixture() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  void serve() {
    const auto keep = [this](ArrivedAgent agent) { arrived_.push_back(std::move(agent)); };
    auto server = GrpcServer::listen(loop_, path_, service_, keep);
    ASSERT_TRUE(server.ok()) << server.status().message();
    server_ = std::move(*server);
  }

  void serve_tcp(const TcpTarget& here) {
    auto server =
        GrpcServer::listen_tcp(loop_, here, [this](ArrivedAgent agent) { arrived_.push_back(std::move(agent)); });
    ASSERT_TRUE(server.ok()) << server.status().message();
    server_ = std::move(*server);
  }

  using Dialled = Result<std::unique_ptr<ChannelToCoordinator>>;
  Dialled dial(GrpcAgentDialer& dialer) {
    std::optional<Dialled> dialled;
    dialer.dial([&](Dialled result) { dialled = std::move(result); });
    EXPECT_TRUE(loop_.run_until([&] { return dialled.has_value(); }));
    return std::move(*dialled);
  }

  // Whether `steps` take less than 4 s, so that they do not wait for gRPC's second try to connect after 5 s. A slow machine may
  // delay one run, but not three.
  static bool is_at_once(const std::function<void()>& steps) {
    for (int run = 0; run < 3; ++run) {
      const auto before = std::chrono::steady_clock::now();
      steps();
      if (std::chrono::steady_clock::now() - before < std::chrono::seconds(4)) return true;
    }
    return false;
  }

  TestLoop loop_;
  std::string folder_;
  std::string path_;
  ScriptedControl service_;
  std::vector<ArrivedAgent> arrived_;
  std::unique_ptr<GrpcServer> server_;
};

}  // namespace muster
