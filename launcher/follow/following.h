// Following a job from a terminal or a script: the session (follow/session.h) with a real loop, keyboard and
// signals around it.
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

// A command's loop and its way to a controller; and the signals, which are kept from the first submit on, so
// that none falls between submitting and following.
class Connection {
 public:
  // Connects to the user's controller (`start`: starting it when absent).
  static Result<std::unique_ptr<Connection>> open(CommandContext& context, bool start);
  // The same, or the jobs of a cluster, as the words say.
  static Result<std::unique_ptr<Connection>> open(CommandContext& context, const ClusterWords& words);
  static Result<std::unique_ptr<Connection>> open_cluster(CommandContext& context, const ClusterPlace& place);
  // Hosts one in this process.
  static Result<std::unique_ptr<Connection>> host(CommandContext& context);
  // The same, of its own kind. `make` gets the loop, which outlives what it makes.
  using MakeHosted = std::function<Result<std::unique_ptr<Hosted>>(AsioLoop&)>;
  static Result<std::unique_ptr<Connection>> host(const MakeHosted& make);
  // One host of several that were typed by hand; blocks until all are there. What is told meanwhile goes to `remark`; `parted` runs
  // when it and the job have parted. A signal ends the wait with cancelled.
  using Told = std::function<void(const std::string&)>;
  static Result<std::unique_ptr<Connection>> meet(CommandContext& context, const GangPlace& place,
                                                  const SubmitRequest& request, const std::vector<int>& signals,
                                                  const Told& remark, std::function<void(const Status&)> parted);

  AsioLoop& loop() { return loop_; }
  NodeIndex node() const { return hosted_ ? hosted_->node() : 0; }  // of the job: this host
  std::shared_ptr<ControlClient> client() { return client_; }
  // Before it ends: other hosts hear how the job ended, and leave. A moment, where none is lost.
  void announce_end();
  // What another thread asks by.
  Result<std::unique_ptr<ControlClient>> another() const { return another_(); }
  // Output files may lie on this machine.
  bool is_near() const { return near_; }
  // How a lost controller is reached again; empty for a hosted one.
  Follower::Connect reconnect() const { return reconnect_; }

 private:
  Connection() = default;
  AsioLoop loop_;
  std::unique_ptr<Hosted> hosted_;
  std::shared_ptr<ControlClient> client_;
  Follower::Connect reconnect_;
  std::function<Result<std::unique_ptr<ControlClient>>()> another_;
  bool near_ = true;
};

// Signals from now on, kept until somebody takes them; but for those that were ignored before.
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

// The jobs that these words name, in their order: all of them, or why one is none.
Result<std::vector<JobView>> find_jobs(JobReadClient& client, const std::vector<std::string>& words);

struct FollowPlan {
  FollowRequest request;
  SessionRules rules;
  TextChoice text;
  bool json = false;
  bool yaml = false;             // with json: documents of YAML
  std::optional<Rank> tty_rank;  // its terminal is relayed to ours
};

// Blocks until the job or the user ends it; the exit code. Shows it as the plan says, or by `presenter`. Once
// per connection.
int follow_job(CommandContext& context, Connection& connection, HeldSignals& signals, JobView job,
               const FollowPlan& plan);
int follow_with(CommandContext& context, Connection& connection, HeldSignals& signals, JobView job,
                const FollowPlan& plan, Presenter& presenter);

}  // namespace muster
