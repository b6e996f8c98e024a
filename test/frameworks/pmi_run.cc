// SPDX-License-Identifier: Apache-2.0
// Runs ranks of an MPI program with PmiServer (core/node/pmi), on several nodes that are all this machine:
//   muster_pmi_run NODES RANKS_PER_NODE PROGRAM [ARGUMENT…]
// Prints on stderr what ranks and server write. Exits with the code of MPI_Abort, else with the largest code of a rank, 128 + signal.
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "core/node/pmi/pmi_server.h"

namespace {

using namespace muster;

struct Rank {
  uint32_t node = 0;
  uint32_t local = 0;
  int fd = -1;
  pid_t pid = 0;
};

struct Node {
  PmiServer server;
  std::optional<std::string> exchange;
};

class Run {
 public:
  Run(uint32_t nodes, uint32_t each) {
    for (uint32_t node = 0; node < nodes; ++node) {
      PmiWorld world;
      world.name = "kvs_" + std::to_string(getpid());
      for (uint32_t rank = 0; rank < nodes * each; ++rank) world.nodes.push_back(rank / each);
      for (uint32_t local = 0; local < each; ++local) world.ranks.push_back(node * each + local);
      worlds_.push_back(world);
      nodes_.push_back({PmiServer(world), std::nullopt});
      for (uint32_t local = 0; local < each; ++local) ranks_.push_back({node, local});
    }
  }

  int run(char** command) {
    for (Rank& rank : ranks_) start(rank, command);
    while (std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.fd >= 0; })) turn();
    int worst = 0;
    for (const Rank& rank : ranks_) {
      int status = 0;
      waitpid(rank.pid, &status, 0);
      worst = std::max(worst, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }
    return aborted_.value_or(worst);
  }

 private:
  void start(Rank& rank, char** command) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) _exit(9);
    rank.fd = pair[0];
    rank.pid = fork();
    if (rank.pid != 0) {
      close(pair[1]);
      return;
    }
    for (const Rank& other : ranks_) {
      if (other.fd >= 0) close(other.fd);
    }
    for (const auto& [name, value] : pmi_environment(worlds_[rank.node], rank.local, pair[1]))
      setenv(name.c_str(), value.c_str(), 1);
    execvp(command[0], command);
    _exit(127);
  }

  void turn() {
    std::vector<pollfd> watched;
    for (const Rank& rank : ranks_) watched.push_back({rank.fd, POLLIN, 0});
    if (poll(watched.data(), watched.size(), -1) < 0) return;
    for (size_t i = 0; i < ranks_.size(); ++i) {
      if (watched[i].revents != 0 && ranks_[i].fd >= 0) read_from(ranks_[i]);
    }
  }

  void read_from(Rank& rank) {
    char bytes[4096];
    const ssize_t count = read(rank.fd, bytes, sizeof bytes);
    if (count <= 0) {
      close(rank.fd);
      rank.fd = -1;
      return;
    }
    const std::string text(bytes, static_cast<size_t>(count));
    std::cerr << rank.node << "." << rank.local << " < " << text << "\n";
    act(rank.node, nodes_[rank.node].server.received(rank.local, text));
  }

  void act(uint32_t node, const PmiActions& actions) {
    for (const auto& write : actions.writes) {
      Rank& rank = *std::find_if(ranks_.begin(), ranks_.end(),
                                 [&](const Rank& r) { return r.node == node && r.local == write.local; });
      std::cerr << rank.node << "." << rank.local << " > " << write.bytes << "\n";
      if (::write(rank.fd, write.bytes.data(), write.bytes.size()) < 0) std::cerr << "write failed\n";
    }
    for (const auto& fault : actions.faults) std::cerr << "fault: " << fault.why << "\n";
    if (actions.abort) {
      aborted_ = actions.abort->exit_code;
      for (const Rank& rank : ranks_) kill(rank.pid, SIGKILL);
    }
    if (actions.exchange) nodes_[node].exchange = actions.exchange;
    exchange();
  }

  // The fence between the nodes.
  void exchange() {
    if (!std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.exchange.has_value(); })) return;
    std::vector<std::string> all;
    for (Node& node : nodes_) {
      all.push_back(*node.exchange);
      node.exchange.reset();
    }
    for (uint32_t node = 0; node < nodes_.size(); ++node) act(node, nodes_[node].server.exchanged(all));
  }

  std::vector<PmiWorld> worlds_;
  std::vector<Node> nodes_;
  std::vector<Rank> ranks_;
  std::optional<int> aborted_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  return Run(static_cast<uint32_t>(atoi(argv[1])), static_cast<uint32_t>(atoi(argv[2]))).run(argv + 3);
}
