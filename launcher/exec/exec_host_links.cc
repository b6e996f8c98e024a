// SPDX-License-Identifier: Apache-2.0
#include "launcher/exec/exec_host_links.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/text.h"
#include "core/port/relay_errors.h"
#include "launcher/exec/exec_viewer.h"

namespace muster {
namespace {

// A program that nobody has refused for so long runs.
constexpr Duration kRefusal = std::chrono::seconds(2);

}  // namespace

// Calls a function in a later turn, unless it was destroyed before.
class ExecHostLinks::Posted final : public HostLink {
 public:
  Posted(Loop& loop, std::function<void()> act) {
    loop.post([alive = alive_, act = std::move(act)] {
      if (*alive) act();
    });
  }
  ~Posted() override { *alive_ = false; }

 private:
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// One program: its stdin and stdout are one end of a socket pair, whose other end is the agent's stream.
class ExecHostLinks::Link final : public HostLink {
 public:
  Link(ExecHostLinks& all, const ExecStart& start, Handlers handlers, const std::string& peer)
      : all_(all),
        handlers_(std::move(handlers)),
        errors_(handlers_.stopped) {
    int ends[2] = {-1, -1};
    const bool made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0;
    UniqueFd theirs(ends[1]);
    read_ = UniqueFd(ends[0]);
    write_ = UniqueFd(fcntl(ends[0], F_DUPFD_CLOEXEC, 0));  // a descriptor can be watched only once
    if (!made || !write_.valid()) {
      const std::string why = errno_status(errno, "cannot connect to the node").message();
      refused_ = std::make_unique<Posted>(all.loop_, [this, why] { handlers_.failed({why, "", false, true}); });
      return;
    }
    ++all_.running_;
    runs_ = true;
    arrival_ = all_.loop_.at(all_.loop_.now() + kRefusal, [this] { arrive(); });
    viewer_ = std::make_unique<ExecViewer>(
        all.loop_, all.client_.exec(all.loop_, start), ViewerEnds{read_.get(), write_.get(), -1},
        ExecViewer::Handlers{.typed = [](std::string_view bytes) { return std::string(bytes); },
                             .over = [this](const ExecEnd& end) { over(end); },
                             .broken = [](int) {},  // the agent's stream was closed, so the program ends too
                             .errors = [this](std::string_view bytes) { errors_.add(bytes); }});
    all.take_(std::move(theirs), peer);
  }
  ~Link() override {
    all_.loop_.cancel(arrival_);
    stopped();
  }

 private:
  void arrive() {
    if (!std::exchange(arrived_, true)) handlers_.arrived();
  }

  void stopped() {
    if (std::exchange(runs_, false)) --all_.running_;
  }

  void over(const ExecEnd& end) {
    stopped();
    const bool link_lost = !end.exit && end.code == static_cast<int>(Code::unavailable);
    if (!end.exit && !arrived_) {
      arrived_ = true;
      return handlers_.failed({end.why, "", false, link_lost});
    }
    arrive();
    const bool by_itself = end.exit && end.why.empty() && end.exit->kind == ExitStatus::Kind::exited;
    if (by_itself) return handlers_.ended({end.exit->code, errors_.last()});
    // Its agent waits for the next relay.
    if (link_lost || (end.exit && end.why.empty())) return handlers_.ended({kRelayHungUp, end.why});
    handlers_.ended({kRelayAgentDied, end.why.empty() ? "its end is not known" : end.why});
  }

  ExecHostLinks& all_;
  const Handlers handlers_;
  bool runs_ = false;
  bool arrived_ = false;
  TimerId arrival_ = 0;
  RelayErrors errors_;
  UniqueFd read_;
  UniqueFd write_;
  std::unique_ptr<ExecViewer> viewer_;
  std::unique_ptr<Posted> refused_;
};

ExecHostLinks::ExecHostLinks(FdLoop& loop, RankClient client, const std::vector<JobNode>& nodes, Take take)
    : loop_(loop),
      client_(std::move(client)),
      take_(std::move(take)) {
  for (const JobNode& node : nodes) nodes_[node.name] = node;
}

std::unique_ptr<HostLink> ExecHostLinks::open(const HostCall& call, Handlers handlers) {
  const auto node = nodes_.find(call.host);
  if (node == nodes_.end()) {
    const HostTrouble trouble{"it is not a node of the job", "", false, false};
    return std::make_unique<Posted>(loop_, [handlers = std::move(handlers), trouble] { handlers.failed(trouble); });
  }
  ExecStart start;
  start.index = node->second.first_rank;
  start.attempt = node->second.attempt;
  start.argv = call.words;
  start.argv.emplace_back("--inside");
  start.own_program = true;
  start.whole_node = true;
  return std::make_unique<Link>(*this, start, std::move(handlers), call.peer);
}

std::unique_ptr<HostLink> ExecHostLinks::look(const HostCall&, Seen seen) {
  return std::make_unique<Posted>(loop_, [seen = std::move(seen)] { seen(std::vector<Holder>()); });
}

std::unique_ptr<HostLink> ExecHostLinks::deliver(const HostCall&, const JobId&, const JobCode&, Delivered done) {
  return std::make_unique<Posted>(loop_, [done = std::move(done)] { done(std::nullopt); });
}

}  // namespace muster
