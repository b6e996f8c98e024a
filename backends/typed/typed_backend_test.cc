// SPDX-License-Identifier: Apache-2.0
// Does not use the conformance suite, which is for backends that place agents: these hosts connect by themselves.
#include "backends/typed/typed_backend.h"

#include <gtest/gtest.h>

#include "test/sim/sim_loop.h"

namespace muster {
namespace {

// The backend of this machine: it plans, and places nothing.
class OwnMachine final : public AgentPlacement, public Planning, public Claims {
 public:
  Backend parts() {
    return {.capabilities = {.shares_filesystem = true, .fixed_hosts = true},
            .placement = *this,
            .planning = *this,
            .claims = this};
  }
  Status claim(const JobOnNodes&) override { return {}; }
  void unclaim(const JobId&) override {}
  Result<Plan> plan(const JobSpec& spec, const std::vector<Holder>&, const JobOrigin&) override {
    return plan_on_one_machine(spec, Inventory{.host = "node-a"});
  }
  void place(const NodeRef&, std::function<void(Result<PlacedAgent>)>) override {}
  void adopt(const NodeRef&, const std::string&) override {}
  std::string address(const NodeRef&) const override { return "127.0.0.1"; }
  std::string loopback(const NodeRef&) const override { return "127.0.0.1"; }
  void on_lost(std::function<void(const NodeRef&, const std::string&)>) override {}
  void end(const NodeRef&) override {}
  void release(const NodeRef&) override {}
};

// The messages that a host received.
struct Heard {
  std::vector<CoordinatorMessage> messages;
  std::function<void(const Status&)> on_closed;
  bool gone = false;
};

class HostChannel final : public ChannelToAgent {
 public:
  explicit HostChannel(std::shared_ptr<Heard> heard) : heard_(std::move(heard)) {}
  ~HostChannel() override { heard_->gone = true; }
  void send(const CoordinatorMessage& message) override { heard_->messages.push_back(message); }
  void listen(std::function<void(const AgentMessage&)>, std::function<void(const Status&)> on_closed) override {
    heard_->on_closed = std::move(on_closed);
  }

 private:
  std::shared_ptr<Heard> heard_;
};

HostOffer offer(std::optional<uint32_t> node_rank = std::nullopt, uint32_t ranks = 1) {
  HostOffer typed;
  typed.run = "mine";
  typed.least_nodes = typed.most_nodes = 3;
  typed.node_rank = node_rank;
  typed.ranks = ranks;
  typed.dialled = "10.0.0.1";
  return typed;
}

class TypedHosts : public testing::Test {
 protected:
  explicit TypedHosts(std::optional<uint32_t> first_rank = std::nullopt)
      : backend_(
            loop_, own_.parts(), offer(first_rank, 2), std::chrono::seconds(5), [this] { ++changes_; },
            [this](const std::string& what) { missed_.push_back(what); }) {
    Random random(7);
    job_ = JobId::make(random);
  }

  std::shared_ptr<Heard> come(const std::string& host, const HostOffer& typed, const std::string& peer = "10.0.0.2") {
    auto heard = std::make_shared<Heard>();
    ArrivedAgent agent{std::make_unique<HostChannel>(heard), {}, peer};
    agent.hello.host = host;
    agent.hello.offer = typed;
    backend_.agent_arrived(std::move(agent));
    return heard;
  }
  // The reason of its dismissal; empty: it was not dismissed.
  static std::string refusal(const std::shared_ptr<Heard>& heard) {
    if (heard->messages.empty()) return "";
    const auto* dismiss = std::get_if<Dismiss>(&heard->messages.back());
    return dismiss == nullptr ? "" : dismiss->why;
  }

  Plan plan() {
    JobSpec spec;
    spec.groups = {GroupSpec{}};
    spec.groups[0].workers = {false, 2};
    const auto made = backend_.plan(spec, {}, {});
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.ok() ? *made : Plan{};
  }

  void place(NodeIndex node) {
    backend_.place({job_, node}, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
    loop_.run_for(Duration(0));
  }

  sim::SimLoop loop_;
  OwnMachine own_;
  TypedBackend backend_;
  JobId job_;
  int changes_ = 0;
  std::vector<std::string> missed_;
  std::vector<Result<PlacedAgent>> placed_;
};

class RankedHosts : public TypedHosts {
 protected:
  RankedHosts() : TypedHosts(0) {}
};

TEST_F(TypedHosts, NodesAreNumberedAsTheyCameAndRanksAcrossThem) {
  come("node-b", offer());
  come("node-c", offer(std::nullopt, 3));
  EXPECT_EQ(backend_.hosts(), 3u);
  EXPECT_EQ(changes_, 2);
  const Plan made = plan();
  ASSERT_EQ(made.nodes.size(), 3u);
  EXPECT_EQ(made.nodes[2].host, "node-c");
  EXPECT_EQ(made.nodes[2].ranks, (std::vector<uint32_t>{3, 4, 5}));
  const PlannedRank& last = made.ranks.back();
  EXPECT_EQ(last.world_rank, 5u);
  EXPECT_EQ(last.world_size, 6u);
  EXPECT_EQ(last.local_rank, 2u);
  EXPECT_EQ(last.local_size, 3u);
  EXPECT_EQ(last.group_node, 2u);
  EXPECT_EQ(made.ranks.front().world_size, 6u);
  EXPECT_EQ(made.ranks.front().group_nodes, 3u);
}

TEST_F(TypedHosts, AHostWithNoRanksOrTooManyIsSentAway) {
  for (const uint32_t ranks : {0u, 65537u, 4'000'000'000u}) {
    EXPECT_EQ(refusal(come("node-b", offer(std::nullopt, ranks))), "a host has 1 to 65536 ranks");
  }
  EXPECT_EQ(backend_.hosts(), 1u);
}

TEST_F(TypedHosts, AHostsNameCannotSteerATerminal) {
  come("node\x1b[2J\nb", offer());
  EXPECT_EQ(plan().nodes[1].host, "node\\x1b[2J\\x0ab");
}

TEST_F(RankedHosts, NodesAreNumberedAsTheySay) {
  come("node-c", offer(2));
  come("node-b", offer(1));
  EXPECT_EQ(plan().nodes[1].host, "node-b");
}

TEST_F(RankedHosts, AHostThatDoesNotFitIsToldWhy) {
  come("node-b", offer(1));
  EXPECT_EQ(refusal(come("x", offer(1))), "--node-rank 1 is already taken by node-b");
  EXPECT_EQ(refusal(come("x", offer(0))), "--node-rank 0 is taken by the host that listens here");
  EXPECT_EQ(refusal(come("x", offer(3))), "--node-rank 3 of --nnodes 3: node ranks are counted from 0");
  EXPECT_EQ(refusal(come("x", offer())), "the hosts have different --rdzv-backend: one has static, the other c10d");
  HostOffer other = offer(2);
  other.run = "theirs";
  EXPECT_EQ(refusal(come("x", other)), "this is the endpoint of --rdzv-id mine, not of theirs");
  other = offer(2);
  other.most_nodes = 4;
  EXPECT_EQ(refusal(come("x", other)), "the hosts have different --nnodes: 3 on the first, 3:4 on x");
  EXPECT_EQ(backend_.hosts(), 2u);
  come("node-c", offer(2));
  EXPECT_EQ(refusal(come("x", offer(2))), "all 3 hosts have joined");
  const auto gone = come("x", offer(2));
  loop_.run_for(std::chrono::seconds(5));
  EXPECT_TRUE(gone->gone);
}

TEST_F(TypedHosts, AHostThatLeavesBeforeAllAreThereIsMissed) {
  const auto left = come("node-b", offer());
  left->on_closed(Status(Code::unavailable, "closed"));
  EXPECT_EQ(backend_.hosts(), 1u);
  EXPECT_EQ(changes_, 2);
}

TEST_F(TypedHosts, EachNodeIsHandedItsHost) {
  come("node-b", offer());
  come("node-c", offer());
  plan();
  place(2);
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_EQ(placed_[0]->agent.hello.host, "node-c");
  EXPECT_EQ(placed_[0]->token, "node-c");
}

TEST_F(TypedHosts, WhoComesLaterTakesAPlaceThatIsFree) {
  come("node-b", offer());
  come("node-c", offer());
  EXPECT_EQ(plan().membership, (ElasticMembership{3, 3, std::chrono::seconds(5)}));
  place(1);
  placed_.clear();
  place(1);  // again: it was lost
  EXPECT_TRUE(placed_.empty());
  EXPECT_EQ(missed_, std::vector<std::string>{"a host in place of node-b"});
  come("node-d", offer(std::nullopt, 4));
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_EQ(placed_[0]->agent.hello.host, "node-d");
}

TEST_F(TypedHosts, APlaceThatNobodyHadYetIsTakenAsWell) {
  plan();
  place(1);
  EXPECT_EQ(backend_.address({job_, 0}), "10.0.0.1") << "the address that it would connect to itself";
  come("node-b", offer());
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_EQ(backend_.address({job_, 1}), "10.0.0.2");
}

TEST_F(TypedHosts, WhoFindsNoPlaceWaitsAtTheDoor) {
  come("node-b", offer());
  plan();
  place(1);
  placed_.clear();
  const auto gone = come("node-c", offer());
  const auto waiting = come("node-d", offer());
  EXPECT_EQ(refusal(waiting), "");
  gone->on_closed(Status(Code::unavailable, "closed"));
  place(1);
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_EQ(placed_[0]->agent.hello.host, "node-d");
  EXPECT_TRUE(gone->gone);
}

TEST_F(TypedHosts, WhoWaitsAtTheDoorHearsThatTheJobHasEnded) {
  plan();
  const auto waiting = come("node-b", offer());
  backend_.release({job_, 0});
  EXPECT_EQ(refusal(waiting), "the job has ended");
  EXPECT_EQ(refusal(come("node-c", offer())), "the job has ended");
}

TEST_F(RankedHosts, APlaceIsItsNodeRanks) {
  come("node-b", offer(1));
  come("node-c", offer(2));
  plan();
  place(1);
  EXPECT_EQ(refusal(come("node-d", offer(1))), "the job already runs, and no host is missing");
  place(1);  // again: it was lost
  EXPECT_EQ(missed_, std::vector<std::string>{"a host in place of node-b, --node-rank 1"});
  EXPECT_EQ(refusal(come("node-d", offer(2))), "the job needs a host in place of node-b, --node-rank 1");
  placed_.clear();
  come("node-d", offer(1));
  EXPECT_EQ(placed_.size(), 1u);
}

TEST_F(TypedHosts, AddressesAreThoseByWhichHostsReachEachOther) {
  come("node-b", offer(), "10.0.0.2");
  come("node-a", offer(), "127.0.0.1");
  EXPECT_EQ(backend_.address({job_, 0}), "10.0.0.1") << "the address that the others connected to";
  EXPECT_EQ(backend_.address({job_, 1}), "10.0.0.2");
  EXPECT_EQ(backend_.address({job_, 2}), "10.0.0.1") << "on the first host's machine";
}

TEST_F(TypedHosts, ATypedAddressCounts) {
  HostOffer typed = offer();
  typed.address = "192.168.0.7";
  come("node-b", typed);
  EXPECT_EQ(backend_.address({job_, 1}), "192.168.0.7");
}

TEST_F(TypedHosts, WhoWaitsIsSentAwayWithTheReason) {
  const auto waiting = come("node-b", offer());
  backend_.send_all_away("stopped");
  EXPECT_EQ(refusal(waiting), "stopped");
}

}  // namespace
}  // namespace muster
