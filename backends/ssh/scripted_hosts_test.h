// SPDX-License-Identifier: Apache-2.0
// Scripted hosts, and the ssh backend over them, for its tests.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/ssh/ssh_backend.h"
#include "backends/testing/backend_lab.h"
#include "test/sim/sim_loop.h"

namespace muster {

constexpr Incarnation kFirstAgent = 1000;

// Scripted hosts: the test sees which relays the backend starts and decides how they end. The tag of a relay stands for its agent.
class ScriptedHosts final : public HostLinks {
 public:
  explicit ScriptedHosts(Loop& loop) : loop_(loop) {}

  std::unique_ptr<HostLink> open(const HostCall& call, Handlers handlers) override {
    calls.push_back(call.host + " " + call.words[1]);
    open_.push_back({call.peer, ++last_, std::move(handlers)});
    const uint64_t number = last_;
    loop_.post([this, number, tag = call.peer, task = call.words[1]] { run(number, tag, task); });
    return std::make_unique<Link>(*this, number);
  }

  std::unique_ptr<HostLink> look(const HostCall& call, Seen seen) override {
    calls.push_back(call.host + " " + call.words[0]);
    loop_.post([this, seen] {
      seen(refuse ? Result<std::vector<Holder>>(Status(Code::unavailable, trouble.sentence)) : holders);
    });
    return std::make_unique<HostLink>();
  }

  std::unique_ptr<HostLink> deliver(const HostCall& call, const JobId&, const JobCode& code, Delivered done) override {
    calls.push_back(call.host + " code " + code.hash.substr(0, 4));
    loop_.post([done, refused = refuse ? std::optional(trouble) : std::nullopt] { done(refused); });
    return std::make_unique<HostLink>();
  }

  std::string tag_of(size_t agent) const { return agent < tags.size() ? tags[agent] : "no such"; }
  bool lives(size_t agent) const { return living.count(tag_of(agent)) > 0; }
  // Its relay, if there is one, ends with `code`.
  void die(const std::string& tag, int code = kRelayAgentDied) {
    living.erase(tag);
    end_links(tag, code);
  }
  void end_links(const std::string& tag, int code) {
    for (const Open& each : open_) {
      if (each.tag != tag) continue;
      loop_.post([this, number = each.number, code] {
        const Open* found = find(number);
        if (found != nullptr) Handlers(found->handlers).ended({code, code == kRelayAgentLeft ? "" : "it died"});
      });
    }
  }

  // Its relay says that a signal has stopped this agent, or that it was continued.
  void say_stopped(const std::string& tag, std::optional<int64_t> pid) {
    for (const Open& each : open_) {
      if (each.tag == tag && each.handlers.stopped) return Handlers(each.handlers).stopped(pid);
    }
  }

  bool refuse = false;
  HostTrouble trouble{"the ssh connection timed out", "ssh -v it", false};
  std::vector<Holder> holders;  // on every host
  std::vector<std::string> calls;
  std::vector<std::string> tags;  // of agents, in the order of their start
  std::set<std::string> living;
  std::set<std::string> ended;  // by the backend

 private:
  struct Open {
    std::string tag;
    uint64_t number;
    Handlers handlers;
  };
  class Link final : public HostLink {
   public:
    Link(ScriptedHosts& hosts, uint64_t number) : hosts_(hosts), number_(number) {}
    ~Link() override {
      std::erase_if(hosts_.open_, [this](const Open& each) { return each.number == number_; });
    }

   private:
    ScriptedHosts& hosts_;
    const uint64_t number_;
  };

  const Open* find(uint64_t number) const {
    for (const Open& each : open_) {
      if (each.number == number) return &each;
    }
    return nullptr;
  }

  void run(uint64_t number, const std::string& tag, const std::string& task) {
    const Open* found = find(number);
    if (found == nullptr) return;
    const Handlers handlers = found->handlers;
    if (refuse) return handlers.failed(trouble);
    if (task == "--listen") {
      tags.push_back(tag);
      living.insert(tag);
    }
    handlers.arrived();
    if (living.count(tag) == 0) return handlers.ended({kRelayNothingHere, ""});
    if (task == "--wake") return handlers.ended({kRelayWoke, ""});
    if (task != "--end") return;
    ended.insert(tag);
    living.erase(tag);
    handlers.ended({kRelayAgentDied, "killed"});
  }

  Loop& loop_;
  std::vector<Open> open_;
  uint64_t last_ = 0;
};

class SshLab final : public BackendLab {
 public:
  SshLab() { reopen(); }
  SshBackend& backend() override { return *backend_; }
  ScriptedHosts& hosts() { return hosts_; }
  sim::SimLoop& loop() { return loop_; }
  void wait(Duration duration) override { loop_.run_for(duration); }
  void refuse_places(bool refuse) override { hosts_.refuse = refuse; }
  void say_hello(size_t agent, std::unique_ptr<ChannelToAgent> channel) override {
    Hello hello;
    hello.incarnation = kFirstAgent + agent;
    backend_->agent_arrived({std::move(channel), hello, hosts_.tag_of(agent)});
  }
  void die(size_t agent) override { hosts_.die(hosts_.tag_of(agent)); }
  bool was_ended(size_t agent) const override { return hosts_.ended.count(hosts_.tag_of(agent)) > 0; }
  void reopen() override { backend_ = std::make_unique<SshBackend>(loop_, hosts_, log, 7); }
  void know(const JobId& job) override {
    Plan plan;
    plan.nodes = {{0, 0, "a1", {}}, {1, 0, "mia@a2", {}}};
    const std::vector<JobHost> hosts = {{"mia@a2", "10.0.0.2", "localhost", 0, {}}, {"a1", "10.0.0.1", "", 0, {}}};
    EXPECT_TRUE(backend_->claim({job, "train", plan, hosts, {{"SSH_AUTH_SOCK", "/s"}}, code, false}).ok());
  }

  JobCode code;
  class Lines final : public Log {
   public:
    void write(LogLevel, std::string_view message) override { all.emplace_back(message); }
    std::vector<std::string> all;
  } log;

 private:
  sim::SimLoop loop_;
  ScriptedHosts hosts_{loop_};
  std::unique_ptr<SshBackend> backend_;
};

class SshBackendTest : public testing::Test {
 protected:
  SshBackendTest() {
    lab_.know(node_.job);
    listen();
  }
  void listen() {
    lab_.backend().on_lost([this](const NodeRef&, const std::string& reason) { lost_.push_back(reason); });
    lab_.backend().on_remark([this](const JobId&, const std::string& sentence) { remarks_.push_back(sentence); });
    lab_.backend().on_returned([this](ArrivedAgent agent) { returned_.push_back(agent.hello.incarnation); });
  }
  std::string up() {
    lab_.backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
    lab_.wait(Duration(0));
    lab_.say_hello(0, std::make_unique<DismissibleChannel>(&dismissed_));
    return placed_.at(0).ok() ? placed_[0]->token : "";
  }
  void hello(Incarnation incarnation, const std::string& peer, const NodeRef& bound) {
    Hello hello;
    hello.incarnation = incarnation;
    hello.job = bound.job;
    hello.node = bound.node;
    lab_.backend().agent_arrived({std::make_unique<DismissibleChannel>(&dismissed_), hello, peer});
    lab_.wait(Duration(0));
  }
  SshLab lab_;
  Random random_{7};
  NodeRef node_{JobId::make(random_), 1};
  std::vector<Result<PlacedAgent>> placed_;
  std::vector<std::string> lost_;
  std::vector<std::string> remarks_;
  std::vector<Incarnation> returned_;
  bool dismissed_ = false;
};

}  // namespace muster
