// The backend of `muster torchrun` on several hosts: people typed the command on each of them. Nothing is started elsewhere:
// hosts come, offer themselves and are let in until all are there; the first node is this machine, placed by a backend of its own.
// A host that comes later gets a place that is free. By arrival any place fits, and who finds none waits at the door; by --node-rank
// only its own, and who finds that taken is sent away.
//
// Not concerned with who listens and how: agents that arrived are handed in. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/arrivals/arrivals.h"
#include "core/port/backend.h"
#include "core/port/loop.h"

namespace muster {

class TypedBackend final : public AgentPlacement, public Planning, public Claims {
 public:
  // `first`: what this machine's own command offers. `own` places its agent. `changed` runs when a host came or left before all
  // were there; `missed` with a sentence when a host without which nothing goes on is to be replaced. `last_call`: of later
  // attempts.
  TypedBackend(Loop& loop, const Backend& own, HostOffer first, Duration last_call, std::function<void()> changed,
               std::function<void(const std::string&)> missed);
  ~TypedBackend() override { *alive_ = false; }

  // Let in, or sent away with the sentence why.
  void agent_arrived(ArrivedAgent agent);
  // Hosts that are there, this one included.
  size_t hosts() const { return joined_.size() + 1; }
  // Nobody is let in from here on but for those that replace a lost one; plan() does it, too.
  void close() { closed_ = true; }
  // All that wait are sent away.
  void send_all_away(const std::string& why);

  Backend parts() {
    // A host that was typed by hand keeps its ranks' output.
    return {.capabilities = {.shares_filesystem = true, .fixed_hosts = true},
            .placement = *this,
            .planning = *this,
            .claims = this};
  }
  // Hosts that were typed wait for nobody; others hear what this one gives.
  Status claim(const JobOnNodes& job) override {
    return own_.claims->claim({job.job, job.name, job.plan, job.hosts, job.environment, job.code, true});
  }
  void unclaim(const JobId& job) override { own_.claims->unclaim(job); }
  Result<Plan> plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) override;
  void place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) override;
  void adopt(const NodeRef& node, const std::string& token) override;
  std::string address(const NodeRef& node) const override;
  std::string loopback(const NodeRef& node) const override { return own_.placement.loopback(node); }
  void on_lost(std::function<void(const NodeRef&, const std::string&)> handler) override;
  void end(const NodeRef& node) override;
  void release(const NodeRef& node) override;

 private:
  struct Host {
    HostOffer offer;
    std::string name;
    std::string peer;
    Arrivals::Ticket agent = 0;  // waits until its node is placed
  };
  using Placed = std::function<void(Result<PlacedAgent>)>;

  std::string refusal(const ArrivedAgent& agent) const;
  std::string refusal_of_late(const HostOffer& offer) const;
  void let_in(ArrivedAgent agent);
  void take_place(ArrivedAgent agent);
  void wait_at_the_door(ArrivedAgent agent);
  std::string missing(NodeIndex node) const;
  bool fits(NodeIndex node, const HostOffer& offer) const;
  std::unique_ptr<Host> host_of(ArrivedAgent agent, std::function<void(Arrivals::Ticket)> left);
  bool waits(const std::unique_ptr<Host>& host) const { return host && arrivals_.find(host->agent) != nullptr; }
  void hand_over(const Host& host, const Placed& done);
  std::map<NodeIndex, Placed>::iterator vacancy_for(const HostOffer& offer);
  bool is_own(const NodeRef& node) const { return node.node == 0; }

  Loop& loop_;
  Arrivals arrivals_;
  const Backend own_;  // has claims
  const HostOffer first_;
  const Duration last_call_;
  std::function<void()> changed_;
  std::function<void(const std::string&)> missed_;
  std::vector<std::unique_ptr<Host>> joined_;   // nodes 1, 2, …, once closed; null: nobody was there yet
  std::vector<std::unique_ptr<Host>> waiting_;  // at the door, in the order in which they came
  std::map<NodeIndex, Placed> vacant_;          // places that are free
  bool closed_ = false;
  bool over_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
