// SPDX-License-Identifier: Apache-2.0
// SshBackend: places agents on the hosts that a job names, over the user's own ssh. The command that submitted the job has found the
// hosts and their resources; this class does not survey hosts.
//
// - The hosts of a job are fixed.
// - A lost link is retried until the job ends. Processes on the host continue meanwhile.
// - A node is lost only when its host reports that no agent of the node runs.
// - If a node was up before, place() waits for its host without a limit. Otherwise place() retries for some minutes, and only while
//   the problem may be temporary.
// - A node is placed again only after its previous agent has ended.
// - An agent can speak only for the node of its own link, whatever node it names.
//
// The ssh sessions themselves belong to HostLinks (core/port/host_link.h). Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/ssh/host_rooms.h"
#include "backends/ssh/spent_links.h"
#include "backends/ssh/stopped_agents.h"
#include "core/base/log.h"
#include "core/base/random.h"
#include "core/port/backend.h"
#include "core/port/host_link.h"
#include "core/port/loop.h"

namespace muster {

class SshBackend final : public AgentPlacement,
                         public Planning,
                         public Claims,
                         public HostSharing,
                         public HostReach,
                         public AgentProcesses {
 public:
  // `seed` makes the names of links, which are not secret.
  SshBackend(Loop& loop, HostLinks& links, Log& log, uint64_t seed)
      : loop_(loop),
        links_(links),
        spent_(loop),
        stopped_(loop, links),
        rooms_(loop, links),
        log_(log),
        random_(seed) {}
  ~SshBackend() override;

  // `agent.peer` is the link of the connection (HostCall::peer). An agent whose link belongs to no node is dismissed.
  void agent_arrived(ArrivedAgent agent);
  // The handler gets agents that reconnect. Set once.
  void on_returned(std::function<void(ArrivedAgent)> handler) { returned_ = std::move(handler); }

  Backend parts() {
    return {.capabilities = {.fixed_hosts = true, .own_environment = true},
            .placement = *this,
            .planning = *this,
            .claims = this,
            .hosts = this,
            .reach = this,
            .agents = this};
  }
  Result<Plan> plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) override;
  std::optional<std::vector<Holder>> others_on(const JobOnNodes& waiting, TimePoint asked,
                                               const std::function<void()>& seen) override;
  Status claim(const JobOnNodes& claimed) override;
  void unclaim(const JobId& job) override { jobs_.erase(job); }
  void place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) override;
  void adopt(const NodeRef& node, const std::string& token) override;
  std::string address(const NodeRef& node) const override;
  std::string loopback(const NodeRef& node) const override;
  void on_lost(std::function<void(const NodeRef&, const std::string&)> handler) override { lost_ = std::move(handler); }
  void on_remark(std::function<void(const JobId&, const std::string&)> handler) override {
    remark_ = std::move(handler);
  }
  std::vector<std::string> asking_hosts(const JobId& job) const override;
  void end(const NodeRef& node) override;
  void release(const NodeRef& node) override;
  std::optional<int64_t> stopped_agent(const NodeRef& node) const override;
  void resume(const NodeRef& node) override;

 private:
  struct Job {
    std::string name;
    std::vector<JobHost> hosts;  // by node
    std::map<std::string, std::string> environment;
    JobCode code;
    std::set<NodeIndex> were_up;  // nodes whose agent has reported before: place() waits for their hosts
  };
  enum class Task { code, listen, resume, end };  // `code`: copy the job's code; others: the flag of `muster relay`
  // One place() or adopt() of a node. The agent of the previous one may still have to be ended.
  struct Placement {
    NodeRef node;
    uint64_t number = 0;
    auto operator<=>(const Placement&) const = default;
  };
  struct Node {
    std::string host;
    std::map<std::string, std::string> environment;
    std::string tag;
    Incarnation agent = 0;                          // 0 until the agent has reported
    std::function<void(Result<PlacedAgent>)> done;  // null once the agent has reported
    Task task = Task::listen;
    std::unique_ptr<HostLink> link;
    TimerId timer = 0;        // the next retry, or the forced end after release
    TimerId hello_timer = 0;  // the limit for the agent's hello
    Duration backoff{0};
    uint32_t tries = 0;  // failed tries in a row
    bool asks = false;   // ssh needs an answer from a person
    bool waits = false;  // for the end of the previous agent
    bool released = false;
    TimePoint since;                      // first try
    std::optional<TimePoint> code_since;  // first copy of the code began
    TimePoint give_up;                    // end of the retries after release
  };
  using Nodes = std::map<Placement, Node>;

  const JobHost* host_of(const NodeRef& node) const;
  std::string tag_of(const NodeRef& node);
  Task first_task(const JobId& job) const;
  Nodes::iterator current(const NodeRef& node);
  Nodes::iterator previous(Nodes::iterator placement);
  Placement begin(const NodeRef& node, const JobHost& host, const std::string& tag);
  void open(const Placement& placement, Task task);
  std::unique_ptr<HostLink> copy_code(const Placement& placement, const HostCall& call);
  void expect_hello(const Placement& placement);
  void missed_hello(const Placement& placement);
  bool was_up(const NodeRef& node) const;
  void agent_not_found(const Placement& placement);
  void try_again(const Placement& placement, const HostTrouble& trouble);
  void next_try(const Placement& placement);
  void report_trouble(const Placement& placement, const HostTrouble& trouble);
  void wake(const Node& node);
  void note_stopped(const Placement& placement, std::optional<int64_t> pid);
  void failed(const Placement& placement, const HostTrouble& trouble);
  void ended(const Placement& placement, const HostLinkEnd& end);
  void node_gone(const Placement& placement, const std::string& how);
  void give_up(const Placement& placement, const HostTrouble& trouble);
  void release(const Placement& placement);
  std::string name_of(const JobId& job) const;

  Loop& loop_;
  HostLinks& links_;
  SpentLinks spent_;
  StoppedAgents stopped_;
  HostRooms rooms_;
  Log& log_;
  Random random_;
  std::function<void(ArrivedAgent)> returned_;
  std::function<void(const NodeRef&, const std::string&)> lost_;
  std::function<void(const JobId&, const std::string&)> remark_;
  std::map<JobId, Job> jobs_;
  Nodes nodes_;
  uint64_t placements_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
