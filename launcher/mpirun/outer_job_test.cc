// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/outer_job.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/job/mpirun/launcher_variables.h"
#include "core/system/asio/asio_loop.h"
#include "core/system/asio/run_until.h"
#include "core/wire/worker/worker_socket.h"

namespace muster {
namespace {

const std::vector<JobNode> kNodes{{"a1", "10.0.0.1", "localhost", 1, 0, "launcher", 1},
                                  {"a2", "10.0.0.2", "localhost", 2, 1, "worker", 1}};

// An agent that answers the question about the nodes.
class OuterJobTest : public testing::Test {
 protected:
  OuterJobTest() {
    socket_.listen([this](const WorkerCall&, const WorkerListener::Answer& answer) { answer(answer_); },
                   [](const std::string&) {});
    caller_.environment = {{"MUSTER_SOCKET", path_},
                           {"MUSTER_ATTEMPT", "1"},
                           {"MUSTER_INDEX", "0"},
                           {"MUSTER_WORLD_SIZE", "3"},
                           {"MUSTER_LOCAL_WORLD_SIZE", "1"}};
  }
  Result<std::optional<OuterJob>> asked() {
    Result<std::optional<OuterJob>> found = Status(Code::unknown, "");
    std::atomic<bool> answered = false;
    std::thread asks([&] {
      found = outer_job(caller_);
      answered = true;
    });
    EXPECT_TRUE(run_until(loop_, [&] { return answered.load(); }));
    asks.join();
    return found;
  }

  AsioLoop loop_;
  std::string path_ = testing::TempDir() + "outer-job." + std::to_string(getpid());
  WorkerSocket socket_{loop_, path_};
  RendezvousAnswer answer_;
  CallerContext caller_;
};

TEST_F(OuterJobTest, OuterJob_OfACommandInNoJob_IsNothing) {
  const auto found = outer_job(CallerContext());
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(*found);
}

TEST_F(OuterJobTest, OuterJob_OfARankWithoutASocket_FailsIfTheJobHasOtherNodes) {
  caller_.environment.erase("MUSTER_SOCKET");
  EXPECT_EQ(outer_job(caller_).status().code(), Code::unavailable);
  caller_.environment["MUSTER_WORLD_SIZE"] = "1";
  EXPECT_TRUE(outer_job(caller_).ok());
}

TEST_F(OuterJobTest, OuterJob_WithSeveralNodes_HasThem) {
  answer_.value = nodes_to_json(kNodes);
  const auto found = asked();
  ASSERT_TRUE(found.ok()) << found.status().message();
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->nodes, kNodes);
}

TEST_F(OuterJobTest, OuterJob_WithOneNode_IsNothing) {
  answer_.value = nodes_to_json({kNodes[0]});
  EXPECT_FALSE(*asked());
  answer_.status = Status(Code::not_found, "no such key");
  EXPECT_FALSE(*asked());
}

TEST_F(OuterJobTest, OuterJob_OfALauncher_HasTheNodesOfItsGroups) {
  answer_.value = nodes_to_json(kNodes);
  caller_.environment[kMpirunGroups] = "worker";
  caller_.environment[kMpirunSlots] = "4";
  const auto found = asked();
  ASSERT_TRUE(found.ok() && *found) << found.status().message();
  ASSERT_EQ((*found)->nodes.size(), 1u);
  EXPECT_EQ((*found)->nodes[0].name, "a2");
  EXPECT_EQ((*found)->nodes[0].ranks, 4u);
  caller_.environment[kMpirunGroups] = "others";
  EXPECT_EQ(asked().status().code(), Code::invalid_argument);
}

TEST_F(OuterJobTest, OuterJob_WhoseNodesCannotBeFound_IsAnErrorOnlyIfItHasOthers) {
  answer_.status = Status(Code::unavailable, "the coordinator is not connected");
  const auto found = asked();
  EXPECT_EQ(found.status().message(),
            "cannot find the nodes of the job that this command runs in: the coordinator is not connected");
  caller_.environment["MUSTER_WORLD_SIZE"] = "1";
  EXPECT_TRUE(asked().ok());
  caller_.environment[kMpirunGroups] = "worker";
  EXPECT_EQ(asked().status().code(), Code::unavailable) << "its ranks must not start here";
  answer_ = RendezvousAnswer();
  answer_.value = "no list";
  EXPECT_EQ(asked().status().code(), Code::invalid_argument);
}

TEST(UseNodes, WithoutHosts_AllNodesAreHosts) {
  MpirunPlaces places;
  MpirunFacts facts;
  ASSERT_TRUE(use_nodes(kNodes, "pi", places, facts));
  EXPECT_TRUE(places.remote);
  EXPECT_EQ(places.hosts, (std::vector<MpirunHost>{{"a1", 1}, {"a2", 2}}));
  EXPECT_EQ(facts.hosts.at("a2").cores, 2u);
}

TEST(UseNodes, WithHosts_OnlyNodesOfTheJobAreTaken) {
  MpirunPlaces places;
  places.hosts = {{"a2", 5}};
  MpirunFacts facts;
  ASSERT_TRUE(use_nodes(kNodes, "pi", places, facts));
  EXPECT_EQ(places.hosts, (std::vector<MpirunHost>{{"a2", 5}}));
  places = MpirunPlaces();
  places.hosts = {{"a2", 5}, {"elsewhere", 1}};
  EXPECT_FALSE(use_nodes(kNodes, "pi", places, facts));
  EXPECT_FALSE(places.remote);
}

TEST(UseNodes, WithNamesOfPods_TheirNodesAreTaken) {
  const std::vector<JobNode> nodes{{"b1", "10.0.0.1", "localhost", 2, 0, "worker", 1},
                                   {"b2", "10.0.0.2", "localhost", 2, 2, "worker", 1}};
  MpirunFacts facts;
  for (const char* name : {"pi-worker-1", "pi-worker-1.pi", "pi-worker-0-1.pi.ns.svc"}) {
    MpirunPlaces places;
    places.hosts = {{name, 1}};
    ASSERT_TRUE(use_nodes(nodes, "pi-2", places, facts)) << name;
    EXPECT_EQ(places.hosts, (std::vector<MpirunHost>{{"b2", 1}})) << name;
  }
  for (const char* name : {"pi-worker-2", "other-worker-1", "worker-1", "-worker-1", "p-worker-1", "pi-launcher"}) {
    MpirunPlaces places;
    places.hosts = {{name, 1}};
    EXPECT_FALSE(use_nodes(nodes, "pi-2", places, facts)) << name;
  }
}

TEST_F(OuterJobTest, UseSlots_OfALauncherOnTheOnlyNode_AreThoseOfItsVariable) {
  MpirunPlaces places;
  use_slots(caller_, places);
  EXPECT_TRUE(places.hosts.empty());
  caller_.environment[kMpirunSlots] = "3";
  use_slots(caller_, places);
  EXPECT_EQ(places.hosts, (std::vector<MpirunHost>{{"localhost", 3}}));
  use_slots(caller_, places);
  EXPECT_EQ(places.hosts.size(), 1u);
}

TEST(HostsOf, Nodes_HaveACpuForEachSlot) {
  const std::vector<JobHost> hosts = hosts_of(kNodes);
  ASSERT_EQ(hosts.size(), 2u);
  EXPECT_EQ(hosts[1].name, "a2");
  EXPECT_EQ(hosts[1].address, "10.0.0.2");
  EXPECT_EQ(hosts[1].machine.cpus, (std::vector<uint32_t>{0, 1}));
}

}  // namespace
}  // namespace muster
