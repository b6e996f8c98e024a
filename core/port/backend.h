// Backend: places agents on nodes, and nothing more. Ranks, restarts, output and recovery belong to coordinator and
// agent.
//
// Loop thread only. Every implementation passes backends/testing's conformance suite.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/job/code_order.h"
#include "core/job/job_spec.h"
#include "core/job/plan/claim.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/plan.h"
#include "core/port/agent_channel.h"
#include "core/port/idle_agent.h"

namespace muster {

// Rare abilities, as data.
struct Capabilities {
  bool shares_filesystem = false;  // nodes write output where the controller reads it; else their agents send it
  bool fixed_hosts = false;        // a lost node is never replaced elsewhere: no lease (DESIGN.md §5)
  bool keeps_agents = false;       // one whose job has ended may wait for the next
  bool own_environment =
      false;                 // nodes are others' machines: of the submitting shell only what speaks of jobs goes there
  bool takes_nodes = false;  // one that is ended from outside, or silent, was taken from the job, which has not failed
  bool agents_keep_journal = false;  // no store outlives the controller: packed_journal() goes to some agents
};

// An agent on its node, still unbound.
struct PlacedAgent {
  ArrivedAgent agent;
  std::string token;      // by which adopt() finds the agent's process again; journaled, so no secret
  Duration code_took{0};  // since the job's code was first on its way there; zero: it brings none
};

// What the queue deals out: a machine, and who has some of it that is no job of ours.
struct Room {
  Inventory machine;
  std::vector<Holder> others;
};

// What a job brings from where it was submitted.
struct JobOrigin {
  // Of the submitting shell, unset or not. Nodes of that shell's machine have no other GPUs for the job.
  std::optional<std::string> cuda_visible_devices;
  std::vector<JobHost> hosts;  // of a backend that does not know them by itself
};

// A job that has nodes from now on.
struct JobOnNodes {
  JobId job;
  std::string name;
  const Plan& plan;
  const std::vector<JobHost>& hosts;
  const std::map<std::string, std::string>& environment;  // of the submitting shell
  JobCode code;
  bool anyway = false;  // it runs already, so nobody is asked
  bool warm = false;    // its ranks begin warm: what an agent keeps may be of use
};

struct NodeRef {
  JobId job;
  NodeIndex node = 0;
  auto operator<=>(const NodeRef&) const = default;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Capabilities capabilities() const = 0;

  // Where jobs have to wait for one another; nothing: here they do not. With `gpus` also who computes on those outside
  // muster, which may take as long as looking at GPUs does.
  virtual std::optional<Room> room(bool /*gpus*/) { return std::nullopt; }

  // The plan of a job on the nodes this backend has, beside those of `held`. resource_exhausted: they could never
  // hold it; unavailable: not now; the message says what it waits for and who holds that: "2 GPUs: llm-eval holds 0,
  // 1".
  virtual Result<Plan> plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) = 0;

  // Who else had some of the hosts that a waiting job brings, which were last asked at `asked`. Nothing: that is too long ago; they
  // are asked, and `seen` runs when they have answered, or do not.
  virtual std::optional<std::vector<Holder>> others_on(const JobOnNodes& /*waiting*/, TimePoint /*asked*/,
                                                       const std::function<void()>& /*seen*/) {
    return std::vector<Holder>();
  }

  // Tells everybody on these nodes what the job has of them, until unclaim(). unavailable: somebody took some of it
  // meanwhile, or is about to: plan again. Before the first place() or adopt() of the job.
  virtual Status claim(const JobOnNodes&) { return Status(); }
  virtual void unclaim(const JobId&) {}

  // Starts an agent for `node`; `done` gets its channel, still unbound, or why there is none. At most once each.
  virtual void place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) = 0;

  // A node of a job taken over: watch it as if placed here. When the agent of `token` is gone, on_lost tells, in a
  // later turn.
  virtual void adopt(const NodeRef& node, const std::string& token) = 0;

  // The numeric address at which the node's peers reach it.
  virtual std::string address(const NodeRef& node) const = 0;

  // What ranks on the node may call 127.0.0.1 (MachineInfo::loopback).
  virtual std::string loopback(const NodeRef&) const { return "127.0.0.1"; }

  // Called when nothing of the node can be alive any more, with the reason; not after release. Set once.
  virtual void on_lost(std::function<void(const NodeRef&, const std::string& reason)> handler) = 0;

  // Called with what people of the job should know: that a host is not reached, and what to do. Set once.
  virtual void on_remark(std::function<void(const JobId&, const std::string& sentence)>) {}

  // Its nodes' hosts that are not reached before a person answers what they ask.
  virtual std::vector<std::string> asking_hosts(const JobId&) const { return {}; }

  // Its agent has not been heard of for so long that it hangs: ends it and all it runs, at once, where this backend can
  // reach them; on_lost tells.
  virtual void end(const NodeRef& node) = 0;

  // Ends what is left of the node: an agent that was dismissed and has not gone within its grace is killed, unless it
  // came back to wait.
  virtual void release(const NodeRef& node) = 0;

  // Lines of a job's journal, in their order, as agents keep them for a controller that comes in our place: a part that tells its own end.
  // Empty: it is too long.
  virtual std::string packed_journal(const std::vector<std::string>& /*lines*/) const { return ""; }

  virtual std::vector<IdleAgent> idle_agents() const { return {}; }
  // Sends them away; how many.
  virtual uint32_t end_idle_agents() { return 0; }
};

// The backends of a controller, by what a job's file says. They outlive it.
class Backends {
 public:
  // `local`: that of jobs on this machine, or of hosts that come by themselves.
  explicit Backends(Backend& local) : local_(local) {}
  Backends with(BackendKind kind, Backend& backend) && {
    others_[kind] = &backend;
    return std::move(*this);
  }
  Backend& local() const { return local_; }
  // Null: it is not built.
  Backend* find(BackendKind kind) const {
    const auto other = others_.find(kind);
    if (other != others_.end()) return other->second;
    return kind == BackendKind::local ? &local_ : nullptr;
  }
  template <typename Visit>
  void each(const Visit& visit) const {
    visit(local_);
    for (const auto& [kind, backend] : others_) visit(*backend);
  }

 private:
  Backend& local_;
  std::map<BackendKind, Backend*> others_;
};

}  // namespace muster
