// The backend of a coordinator in a cluster: its nodes are pods, which come by themselves. Nothing is started or ended here: an agent of
// a node's pod comes and is let in, one that nobody waits for yet stays at the door, and who comes when the job is over is sent away.
//
// A pod is told from its successor by its uid. A new agent of the same pod: its container was started again, and nothing of the one
// before lives. One of another pod: the old one may live on, cut off, and the lease decides (Coordinator::is_lost).
//
// Not concerned with who listens and how: agents that arrived are handed in. Loop thread only.
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
  // Agents that came again after their link was lost. Set once.
  void on_returned(std::function<void(ArrivedAgent)> returned) { returned_ = std::move(returned); }
  // Nothing is known of an earlier coordinator: nobody is let in before all are there, since one of them may know. Before the job has
  // nodes.
  void wait_for_all() { gathers_ = true; }
  // An agent came that belongs to a job of an earlier coordinator, and this is what it keeps of its journal. Set once.
  void on_found(std::function<void(const std::string& packed)> found) { found_ = std::move(found); }
  // How journals are packed. Set once.
  void pack_by(std::function<std::string(const std::vector<std::string>&)> pack) { pack_ = std::move(pack); }
  // From here on everybody who comes, or stands at the door, is sent away with this; also the one who asks for the verdict.
  void job_over(const std::string& sentence, bool succeeded);
  // Asked for, after job_over().
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
  void end(const NodeRef&) override {}  // no arm reaches there: the lease does it
  void release(const NodeRef& node) override;
  std::string packed_journal(const std::vector<std::string>& lines) const override { return pack_ ? pack_(lines) : ""; }

 private:
  // By group and index in it: pods come before the job has nodes.
  using Place = std::pair<uint32_t, uint32_t>;
  struct Pod {
    std::string uid;
    std::string address;
    Incarnation agent = 0;
  };
  struct Node {
    std::optional<Pod> held;
    std::function<void(Result<PlacedAgent>)> wanted;
    Arrivals::Ticket at_the_door = 0;  // of an agent that waits for the node to be placed
    std::string address;               // the last that it had
  };

  std::optional<Place> place_of(const NodeRef& node) const;
  std::optional<NodeRef> ref_of(const Place& place) const;
  std::string refusal(const ArrivedAgent& agent) const;
  void let_wait(const Place& place, ArrivedAgent agent);
  void hand_over(const Place& place);
  void lose_if_replaced(const Place& place);
  void later(std::function<void()> act);
  bool all_are_here() const;
  void hand_over_all();
  void speak_to_who_waits();
  void let_stranger_wait(ArrivedAgent agent);
  void answer_verdict(ArrivedAgent agent);
  void give_verdict();
  void answer_for_the_lost();

  Loop& loop_;
  Arrivals arrivals_;
  std::function<void(ArrivedAgent)> returned_;
  std::function<void(const NodeRef&, const std::string&)> lost_;
  std::optional<JobId> job_;
  std::map<NodeIndex, Place> places_;  // of the job's nodes
  std::map<Place, Node> nodes_;
  std::optional<Dismiss> over_;
  Arrivals::Ticket verdict_ = 0;  // who asked for it before the end
  bool gathers_ = false;          // as wait_for_all() says; until all are there
  std::function<void(const std::string&)> found_;
  std::function<std::string(const std::vector<std::string>&)> pack_;
  std::vector<Arrivals::Ticket> strangers_;  // of a job of an earlier coordinator
  TimerId strangers_timer_ = 0;
  TimerId speak_timer_ = 0;
  TimerId verdict_timer_ = 0;
  bool verdict_given_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
