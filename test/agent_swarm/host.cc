// SPDX-License-Identifier: Apache-2.0
#include "test/agent_swarm/host.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "core/coordinator/coordinator.h"
#include "core/system/asio/asio_loop.h"
#include "core/system/store/file_job_store.h"
#include "core/system/store/output/file_output_files.h"
#include "core/system/store/output/file_output_keeper.h"
#include "core/wire/grpc_server.h"
#include "test/agent_swarm/door.h"

namespace muster::agent_swarm {
namespace {

constexpr int kMostDescriptors = 65536;
constexpr uint32_t kVariables = 40;  // environment variables of the submitting shell; a usual number

Plan plan_of(uint32_t nodes) {
  Plan plan;
  for (uint32_t n = 0; n < nodes; ++n) {
    PlannedRank rank;
    rank.rank = rank.world_rank = rank.group_node = n;
    rank.world_size = rank.group_nodes = nodes;
    rank.local_size = 1;
    rank.node = n;
    plan.nodes.push_back({n, 0, "node-" + std::to_string(n), {n}});
    plan.ranks.push_back(rank);
  }
  return plan;
}

Submission submission_of(uint32_t nodes, Random& random) {
  Submission submission;
  submission.id = JobId::make(random);
  submission.name = submission.spec.name = "swarm";
  GroupSpec group;
  group.min_nodes = group.max_nodes = nodes;
  group.command = {"python", "train.py", "--epochs", "90"};
  submission.spec.groups.push_back(std::move(group));
  submission.spec.workdir = "/";
  submission.spec.restarts.limit = 3;
  submission.plan = plan_of(nodes);
  return submission;
}

JobSecrets secrets_of() {
  JobSecrets secrets;
  for (uint32_t i = 0; i < kVariables; ++i)
    secrets.environment["VARIABLE_" + std::to_string(i)] = "/usr/lib/a/value/of/usual/length:" + std::to_string(i);
  return secrets;
}

uint64_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  return 0;
}

// Prints the bytes sent and received on all open TCP connections.
void tell_bytes() {
  uint64_t sent = 0;
  uint64_t received = 0;
  for (int fd = 0; fd < kMostDescriptors; ++fd) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) continue;
    sent += info.tcpi_bytes_acked;
    received += info.tcpi_bytes_received;
  }
  std::cout << "bytes " << sent << " " << received << std::endl;
}

class Host {
 public:
  Host(AsioLoop& loop, FileJobStore& store, const std::string& state, uint32_t nodes)
      : loop_(loop),
        store_(store),
        output_(state, loop),
        nodes_(nodes) {}

  Status open() {
    Random random(1);
    Submission submission = submission_of(nodes_, random);
    const TimePoint now = loop_.now();
    if (Status made = store_.create({submission.id, submission.name, "queued", now}); !made.ok()) return made;
    if (Status kept = store_.append(submission.id, encode_line({now, submission}), true); !kept.ok()) return kept;
    std::vector<job::Action> actions;
    JobFold fold(std::move(submission), now, actions);
    coordinator_.emplace(CoordinatorPorts{loop_, door_.parts(), store_, output_, keeper_, log_}, std::move(fold),
                         secrets_of(), true);
    coordinator_->on_change([this] { changed(); });
    coordinator_->begin(std::move(actions));
    coordinator_->happen(job::Admitted{});
    return listen();
  }

  void tell() const {
    tell_bytes();
    std::cout << "memory " << memory_before_ << " " << resident_kib() << std::endl;
  }

 private:
  Status listen() {
    auto server = GrpcServer::listen_tcp(loop_, {{"127.0.0.1", 0}, std::nullopt}, [this](ArrivedAgent agent) {
      const bool known = coordinator_->node_of(agent.hello.incarnation).has_value();
      known ? coordinator_->agent_returned(std::move(agent)) : door_.arrived(std::move(agent));
    });
    if (!server.ok()) return server.status();
    server_ = std::move(*server);
    memory_before_ = resident_kib();
    std::cout << "port " << server_->port() << std::endl;
    return Status();
  }

  void changed() {
    const job::State& state = coordinator_->fold().state();
    if (!state.all_running || state.attempt == told_) return;
    told_ = state.attempt;
    std::cout << "running " << told_ << " " << to_unix_nanos(loop_.now()) << std::endl;
  }

  AsioLoop& loop_;
  FileJobStore& store_;
  FileOutputFiles output_;
  FileOutputKeeper keeper_;
  const uint32_t nodes_;
  NullLog log_;
  Door door_{loop_};
  std::optional<Coordinator> coordinator_;
  std::unique_ptr<GrpcServer> server_;
  Attempt told_ = 0;
  uint64_t memory_before_ = 0;
};

}  // namespace

Status host(const std::string& state, uint32_t nodes) {
  AsioLoop loop;
  auto store = FileJobStore::open(state);
  if (!store.ok()) return store.status();
  Host host(loop, **store, state, nodes);
  if (Status open = host.open(); !open.ok()) return open;
  const auto watch = loop.watch_readable(STDIN_FILENO, [&] {
    char bytes[64];
    if (read(STDIN_FILENO, bytes, sizeof bytes) > 0) return host.tell();
    loop.stop();
  });
  loop.run();
  return Status();
}

}  // namespace muster::agent_swarm
