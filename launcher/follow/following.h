// SPDX-License-Identifier: Apache-2.0
// Follows a job from a terminal or a script: connects the session (core/client/follow/session.h) with the loop, the keyboard and signals.
#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/cluster_access.h"
#include "core/client/follow/session.h"
#include "core/system/asio/asio_loop.h"
#include "launcher/cli/command.h"
#include "launcher/composition/wire.h"
#include "launcher/follow/text_presenter.h"

namespace muster {

// Connection: a command's loop and its connection to a controller.
class Connection {
 public:
  // Connects to the user's controller. `start`: starts it if it does not run.
  static Result<std::unique_ptr<Connection>> open(CommandContext& context, bool start);
  // Connects to the user's controller or to a cluster, as `words` select.
  static Result<std::unique_ptr<Connection>> open(CommandContext& context, const ClusterWords& words);
  static Result<std::unique_ptr<Connection>> open_cluster(CommandContext& context, const ClusterPlace& place);
  // Hosts a controller in this process.
  static Result<std::unique_ptr<Connection>> host(CommandContext& context);
  // The same, with a controller created by `make`. The loop outlives it.
  using MakeHosted = std::function<Result<std::unique_ptr<Hosted>>(AsioLoop&)>;
  static Result<std::unique_ptr<Connection>> host(const MakeHosted& make);
  // Joins hosts that the user starts by hand. Blocks until all hosts have joined. `remark` gets notes meanwhile; `parted` runs when the job
  // continues without this host or is lost. A signal ends the wait with cancelled.
  using Told = std::function<void(const std::string&)>;
  static Result<std::unique_ptr<Connection>> meet(CommandContext& context, const GangPlace& place,
                                                  const SubmitRequest& request, const std::vector<int>& signals,
                                                  const Told& remark, std::function<void(const Status&)> parted);

  AsioLoop& loop() { return loop_; }
  NodeIndex node() const { return hosted_ ? hosted_->node() : 0; }  // this host's node in the job
  std::shared_ptr<JobClient> client() { return client_; }
  // The same controller; null in a cluster, whose jobs have none.
  std::shared_ptr<ControllerClient> controller() { return controller_; }
  // Call before the process ends: waits until the other hosts know the job's end, at most 3 s.
  void announce_end();
  // A new client, for another thread.
  Result<std::unique_ptr<JobClient>> another() const { return another_(); }
  // True if the output files may be on this machine.
  bool is_near() const { return near_; }
  // Reconnects to a lost controller. Empty for a hosted one.
  Follower::Connect reconnect() const { return reconnect_; }

 private:
  Connection() = default;
  AsioLoop loop_;
  std::unique_ptr<Hosted> hosted_;
  std::shared_ptr<JobClient> client_;
  std::shared_ptr<ControllerClient> controller_;
  Follower::Connect reconnect_;
  std::function<Result<std::unique_ptr<JobClient>>()> another_;
  bool near_ = true;
};

// HeldSignals: catches signals from its construction on and keeps them until deliver_to(), so that none is lost between submitting and
// following. Signals that are ignored stay ignored.
class HeldSignals {
 public:
  explicit HeldSignals(AsioLoop& loop) : HeldSignals(loop, {SIGINT, SIGTERM, SIGHUP}) {}
  HeldSignals(AsioLoop& loop, const std::vector<int>& numbers);
  void deliver_to(std::function<void(int)> handler);

 private:
  void arrived(int number);
  std::vector<std::unique_ptr<LoopWatch>> watches_;
  std::vector<int> waiting_;
  std::function<void(int)> handler_;
};

// A command asked for something that only a controller on this machine has: "ending idle agents needs …".
Status needs_controller(const std::string& what);

// The jobs that these words name, in order. Fails if one of them is not a job.
Result<std::vector<JobView>> find_jobs(JobReadClient& client, const std::vector<std::string>& words);

struct FollowPlan {
  FollowRequest request;
  SessionRules rules;
  TextChoice text;
  bool json = false;
  bool json_job = true;                // with json: also events, and the job at its end
  bool yaml = false;                   // with json: documents of YAML
  std::optional<Rank> tty_rank;        // the rank whose terminal is relayed to ours
  std::optional<CallerWindow> window;  // the terminal of the job's only rank
  int copy_stdin_to = -1;              // CallerStdin::copy_to; the following closes it. -1: stdin is not copied
};

// Shows the job until it ends or the user leaves, and returns the exit code. follow_with() uses its own presenter. Blocks. Once per
// connection.
int follow_job(CommandContext& context, Connection& connection, HeldSignals& signals, JobView job,
               const FollowPlan& plan);
int follow_with(CommandContext& context, Connection& connection, HeldSignals& signals, JobView job,
                const FollowPlan& plan, Presenter& presenter);

}  // namespace muster
