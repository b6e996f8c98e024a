// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/meeting.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::string endpoint_error(const TorchrunFlags& flags) {
  const auto meeting = meeting_of(flags, *nodes_of(flags.nnodes));
  return meeting.ok() ? "" : meeting.status().message();
}

Meeting met(const TorchrunFlags& flags) {
  const auto meeting = meeting_of(flags, *nodes_of(flags.nnodes));
  EXPECT_TRUE(meeting.ok()) << meeting.status().message();
  return meeting.ok() ? *meeting : Meeting{};
}

TEST(Meeting, ByNodeRankIsAtTheMastersAddress) {
  const Meeting meeting = met({.nnodes = "3", .node_rank = 2, .master_addr = "node-a", .master_port = 1234});
  EXPECT_EQ(meeting.text(), "node-a:1234");
  EXPECT_EQ(meeting.node_rank, 2u);
  EXPECT_EQ(meeting.patience, std::chrono::seconds(900));
  EXPECT_EQ(met({.nnodes = "2", .node_rank = 1}).text(), "127.0.0.1:29500");
  EXPECT_EQ(met({.nnodes = "2", .rdzv_endpoint = "[fe80::1]:7"}).text(), "[fe80::1]:7");
}

TEST(Meeting, ByNodeRankWaitsForAll) {
  const Meeting meeting = met({.nnodes = "2:4", .node_rank = 1});
  EXPECT_EQ(meeting.nodes.least, 4u);
  EXPECT_EQ(meeting.nodes.most, 4u);
}

TEST(Meeting, C10dIsAtItsEndpointWhoeverListens) {
  const Meeting meeting = met({.nnodes = "2:4", .rdzv_backend = "c10d", .rdzv_endpoint = "node-a", .rdzv_id = "mine"});
  EXPECT_EQ(meeting.text(), "node-a:29400");
  EXPECT_EQ(meeting.run, "mine");
  EXPECT_FALSE(meeting.node_rank || meeting.is_host);
  EXPECT_EQ(meeting.nodes.least, 2u);
  EXPECT_EQ(meeting.patience, std::chrono::seconds(600));
  EXPECT_EQ(meeting.last_call, std::chrono::seconds(30));
  EXPECT_EQ(meeting.later_call, std::chrono::seconds(5));
}

TEST(Meeting, ConfSaysHowLongAndWhoListens) {
  const Meeting meeting = met({.nnodes = "2",
                               .rdzv_backend = "c10d",
                               .rdzv_endpoint = "a:1",
                               .rdzv_conf = "join_timeout=5, last_call_timeout=9,is_host=False"});
  EXPECT_EQ(meeting.patience, std::chrono::seconds(5));
  EXPECT_EQ(meeting.last_call, std::chrono::seconds(9));
  EXPECT_EQ(meeting.later_call, std::chrono::seconds(9));
  EXPECT_EQ(meeting.is_host, false);
  EXPECT_NE(
      endpoint_error({.nnodes = "2", .rdzv_backend = "c10d", .rdzv_endpoint = "a:1", .rdzv_conf = "is_host=perhaps"})
          .find("is_host wants true or false, not `perhaps`"),
      std::string::npos);
}

TEST(Meeting, SecondsOfTheStoreAreReadToo) {
  for (const char* conf : {"timeout=x", "timeout=-1", "read_timeout=x"}) {
    const TorchrunFlags flags{.nnodes = "2", .rdzv_backend = "c10d", .rdzv_endpoint = "a:1", .rdzv_conf = conf};
    EXPECT_NE(endpoint_error(flags).find("wants seconds"), std::string::npos) << conf;
  }
}

TEST(Meeting, WhatCannotBeIsNamed) {
  EXPECT_NE(endpoint_error({.nnodes = "2", .rdzv_backend = "c10d"}).find("needs --rdzv-endpoint HOST:PORT"),
            std::string::npos);
  EXPECT_NE(endpoint_error({.nnodes = "2", .rdzv_backend = "etcd-v2"})
                .find("--rdzv-backend etcd-v2 needs a separate service"),
            std::string::npos);
  EXPECT_NE(endpoint_error({.nnodes = "2", .node_rank = 2}).find("node ranks are counted from 0"), std::string::npos);
  EXPECT_NE(endpoint_error({.nnodes = "2", .rdzv_endpoint = "a:0"}).find("0 is not allowed"), std::string::npos);
}

}  // namespace
}  // namespace muster
