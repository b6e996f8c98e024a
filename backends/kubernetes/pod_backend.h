// SPDX-License-Identifier: Apache-2.0
// PodBackend: the backend of a coordinator in a cluster. Its nodes are pods, which the cluster starts and ends; this class does neither.
// An agent that connects from a node's pod is handed to that node. If the node is not placed yet, the agent waits. After the end of the
// job, agents are dismissed.
//
// The pod's uid distinguishes a pod from its replacement. A new agent with the same uid means that the container was restarted, so the
// previous agent is dead. With another uid, the previous agent may still run on an unreachable node; the lease decides
// (Coordinator::is_lost).
//
// The owner listens for connections and passes agents in with agent_arrived(). Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/arrivals/arrivals.h"
#include "core/port/backend.h"
#include "core/port/loop.h"

namespace muster {

class PodBackend final : public AgentPlacement, public Planning, public Claims, public JournalPacking {
 public:
  explicit PodBackend(Loop& loop);
  ~PodBackend() override;

  void agent_arrived(ArrivedAgent agent);
  // `returned` gets each agent that reconnects after its link was lost. Set once.
  void on_returned(std::function<void(ArrivedAgent)> returned) { returned_ = std::move(returned); }
  // Hands over no agent until all nodes' agents are connected, because one of them may keep the journal of an earlier coordinator.
  // Call before claim().
  void wait_for_all() { gathers_ = true; }
  // `found` gets the packed journal that an agent keeps of an earlier coordinator's job. Set once.
  void on_found(std::function<void(const std::string& packed)> found) { found_ = std::move(found); }
  // Packs journal lines for agents to keep. Set once.
  void pack_by(std::function<std::string(const std::vector<std::string>&)> pack) { pack_ = std::move(pack); }
  // The job has ended: dismisses all waiting agents, later agents and the verdict pod with this sentence.
  void job_over(const std::string& sentence, bool succeeded);
  // True once the verdict pod was answered; that needs job_over().
  bool verdict_given() const { return verdict_given_; }

  Backend parts() {
    return {.capabilities = {.own_environment = true, .takes_nodes = true, .agents_keep_journal = true},
            .placement = *this,
            .planning = *this,
            .claims = this,
            .journals = this};
  }
  Result<Plan> plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) override;
  Status claim(const JobOnNodes& job) override;
  void unclaim(const JobId& job) override;
  void place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) override;
  void adopt(const NodeRef& node, const std::string& token) override;
  std::string address(const NodeRef& node) const override;
  std::string loopback(const NodeRef&) const override { return "127.0.0.1"; }
  void on_lost(std::function<void(const NodeRef&, const std::string&)> handler) override { lost_ = std::move(handler); }
  void end(const NodeRef&) override {}  // a pod cannot be ended from here: its lease expires
  void release(const NodeRef& node) override;
  std::string packed_journal(const std::vector<std::string>& lines) const override { return pack_ ? pack_(lines) : ""; }

 private:
  // Group, and index within it: agents may connect before claim() assigns nodes.
  using Place = std::pair<uint32_t, uint32_t>;
  struct Pod {
    std::string uid;
    std::string address;
    Incarnation agent = 0;
  };
  struct Node {
    std::optional<Pod> held;
    std::function<void(Result<PlacedAgent>)> wanted;
    Arrivals::Ticket waiting = 0;  // the agent that waits until the node is placed
    std::string address;           // the last known
  };

  std::optional<Place> place_of(const NodeRef& node) const;
  std::optional<NodeRef> ref_of(const Place& place) const;
  std::string refusal(const ArrivedAgent& agent) const;
  void add_waiting(const Place& place, ArrivedAgent agent);
  void hand_over(const Place& place);
  void report_lost_if_restarted(const Place& place);
  void later(std::function<void()> act);
  bool all_connected() const;
  void hand_over_all_if_complete();
  void keep_waiting_links_alive();
  void wait_for_journal(ArrivedAgent agent);
  void answer_verdict(ArrivedAgent agent);
  void give_verdict();
  void answer_without_job();

  Loop& loop_;
  Arrivals arrivals_;
  std::function<void(ArrivedAgent)> returned_;
  std::function<void(const NodeRef&, const std::string&)> lost_;
  std::optional<JobId> job_;
  std::map<NodeIndex, Place> places_;  // of the job's nodes
  std::map<Place, Node> nodes_;
  std::optional<Dismiss> over_;
  Arrivals::Ticket verdict_ = 0;  // the verdict pod that waits for the job's end
  bool gathers_ = false;          // wait_for_all() was called and agents are missing
  std::function<void(const std::string&)> found_;
  std::function<std::string(const std::vector<std::string>&)> pack_;
  std::vector<Arrivals::Ticket> strangers_;  // agents of an earlier coordinator's job
  TimerId strangers_timer_ = 0;
  TimerId speak_timer_ = 0;
  TimerId verdict_timer_ = 0;
  bool verdict_given_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
