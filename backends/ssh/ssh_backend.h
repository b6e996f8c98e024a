// The ssh backend: agents on hosts that a job brings, reached over the user's own ssh. Which hosts those are, and what they have, was
// found where the job was submitted; nothing is looked for here.
//
// Hosts are fixed. A link that is lost is tried again for as long as the job lives, and nothing there ends for it; a node is lost
// only when its host says that no agent of it lives; one that was up and is to come again is waited for, too, and one that never was for
// as long as the trouble may pass by itself, some minutes at the most. What is placed anew waits until the agent of before is ended. What a host's agent says counts for the node of its own link, whatever it
// claims. Not concerned with ssh: links do (core/port/host_link.h). Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/ssh/host_rooms.h"
#include "backends/ssh/spent_links.h"
#include "core/base/log.h"
#include "core/base/random.h"
#include "core/port/backend.h"
#include "core/port/host_link.h"
#include "core/port/loop.h"

namespace muster {

class SshBackend final : public AgentPlacement, public Planning, public Claims, public HostSharing, public HostReach {
 public:
  // `seed`: for the names of links, which are no secrets.
  SshBackend(Loop& loop, HostLinks& links, Log& log, uint64_t seed)
      : loop_(loop),
        links_(links),
        spent_(loop),
        rooms_(loop, links),
        log_(log),
        random_(seed) {}
  ~SshBackend() override;

  // `agent.peer` is the link it came over (HostCall::peer). One that belongs to no node of ours is sent away.
  void agent_arrived(ArrivedAgent agent);
  // Gets agents that dial again. Set once.
  void on_returned(std::function<void(ArrivedAgent)> handler) { returned_ = std::move(handler); }

  Backend parts() {
    return {.capabilities = {.fixed_hosts = true, .own_environment = true},
            .placement = *this,
            .planning = *this,
            .claims = this,
            .hosts = this,
            .reach = this};
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

 private:
  struct Job {
    std::string name;
    std::vector<JobHost> hosts;  // by node
    std::map<std::string, std::string> environment;
    JobCode code;
    std::set<NodeIndex> were_up;  // they come again, whatever their host says now
  };
  enum class Task { code, listen, resume, end };  // its code is brought; or of its relay
  // A node as often as it is placed or adopted: an agent of before may still be being ended.
  struct Life {
    NodeRef node;
    uint64_t number = 0;
    auto operator<=>(const Life&) const = default;
  };
  struct Node {
    std::string host;
    std::map<std::string, std::string> environment;
    std::string tag;
    Incarnation agent = 0;                          // once it said hello
    std::function<void(Result<PlacedAgent>)> done;  // until then
    Task task = Task::listen;
    std::unique_ptr<HostLink> link;
    TimerId timer = 0;        // until the next try, or its end
    TimerId hello_timer = 0;  // until its agent has to say hello
    Duration backoff{0};
    uint32_t tries = 0;  // in vain
    bool asks = false;   // a person, who could answer
    bool waits = false;  // until an agent of before is ended
    bool released = false;
    TimePoint since;                      // of the first try
    std::optional<TimePoint> code_since;  // its code was first on its way
    TimePoint give_up;                    // once it is released
  };
  using Nodes = std::map<Life, Node>;

  const JobHost* host_of(const NodeRef& node) const;
  std::string tag_of(const NodeRef& node);
  Task first_task(const JobId& job) const;
  Nodes::iterator current(const NodeRef& node);
  Nodes::iterator before(Nodes::iterator life);
  Life begin(const NodeRef& node, const JobHost& host, const std::string& tag);
  void open(const Life& life, Task task);
  std::unique_ptr<HostLink> bring_code(const Life& life, const HostCall& call);
  void expect_hello(const Life& life);
  void missed_hello(const Life& life);
  bool was_up(const NodeRef& node) const;
  void nothing_lives(const Life& life);
  void try_again(const Life& life, const HostTrouble& trouble);
  void next_try(const Life& life);
  void tell_trouble(const Life& life, const HostTrouble& trouble);
  void failed(const Life& life, const HostTrouble& trouble);
  void ended(const Life& life, const HostLinkEnd& end);
  void gone(const Life& life, const std::string& how);
  void give_up(const Life& life, const HostTrouble& trouble);
  void release(const Life& life);
  std::string name_of(const JobId& job) const;

  Loop& loop_;
  HostLinks& links_;
  SpentLinks spent_;
  HostRooms rooms_;
  Log& log_;
  Random random_;
  std::function<void(ArrivedAgent)> returned_;
  std::function<void(const NodeRef&, const std::string&)> lost_;
  std::function<void(const JobId&, const std::string&)> remark_;
  std::map<JobId, Job> jobs_;
  Nodes nodes_;
  uint64_t lives_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
