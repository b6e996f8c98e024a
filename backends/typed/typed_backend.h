// SPDX-License-Identifier: Apache-2.0
// TypedBackend: the backend of `muster torchrun` on several hosts, where users start the command on each host by hand. It starts nothing
// on other hosts. Hosts connect, offer their ranks and join until all hosts are there. Node 0 is this machine; another backend places
// its agent.
//
// A host that connects later replaces a lost host. Without --node-rank it may take any vacant node, and waits if none is vacant. With
// --node-rank it may take only its own node, and is dismissed if that node is not vacant.
//
// Listening is not part of it: the caller passes agents that have connected. Loop thread only.
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
  // `first`: the offer of this machine's own command. `own` places its agent and must have claims. `changed` runs when a host joins or
  // leaves before all hosts are there. `missed` gets a phrase when the job cannot continue without a replacement of a host.
  // `last_call`: the last call of later attempts.
  TypedBackend(Loop& loop, const Backend& own, HostOffer first, Duration last_call, std::function<void()> changed,
               std::function<void(const std::string&)> missed);
  ~TypedBackend() override { *alive_ = false; }

  // The agent joins, or is dismissed with the reason.
  void agent_arrived(ArrivedAgent agent);
  // The number of hosts that have joined, including this one.
  size_t hosts() const { return joined_.size() + 1; }
  // From now on only hosts that replace a lost host may join. plan() does this, too.
  void close() { closed_ = true; }
  // Dismisses all hosts whose agents wait, with the reason.
  void send_all_away(const std::string& why);

  Backend parts() {
    // Each host keeps its own ranks' output.
    return {.capabilities = {.shares_filesystem = true, .fixed_hosts = true},
            .placement = *this,
            .planning = *this,
            .claims = this};
  }
  // These hosts do not wait for other jobs (`anyway`), but other jobs see what this one uses.
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
  void add_host(ArrivedAgent agent);
  void take_vacancy(ArrivedAgent agent);
  void keep_waiting(ArrivedAgent agent);
  std::string missing(NodeIndex node) const;
  bool fits(NodeIndex node, const HostOffer& offer) const;
  std::unique_ptr<Host> host_of(ArrivedAgent agent, std::function<void(Arrivals::Ticket)> left);
  bool waits(const std::unique_ptr<Host>& host) const { return host && arrivals_.find(host->agent) != nullptr; }
  void hand_over(const Host& host, const Placed& done);
  std::map<NodeIndex, Placed>::iterator vacancy_for(const HostOffer& offer);
  bool is_own(const NodeRef& node) const { return node.node == 0; }

  Loop& loop_;
  Arrivals arrivals_;
  const Backend own_;
  const HostOffer first_;
  const Duration last_call_;
  std::function<void()> changed_;
  std::function<void(const std::string&)> missed_;
  std::vector<std::unique_ptr<Host>>
      joined_;  // nodes 1, 2, … after close(); null: no host has joined for this node yet
  std::vector<std::unique_ptr<Host>> waiting_;  // for a vacant node, in the order of arrival
  std::map<NodeIndex, Placed> vacant_;          // nodes that need a host
  bool closed_ = false;
  bool over_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
