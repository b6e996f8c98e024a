// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/settings.h"

#include <gtest/gtest.h>

#include <csignal>

namespace muster {
namespace {

TorchrunFacts facts(uint32_t gpus = 0) {
  return {.cpus = 6, .gpus = [gpus] { return gpus; }, .seed = 3};
}

std::string wrong(const TorchrunFlags& flags, const TorchrunFacts& known = facts()) {
  const auto settings = settle_torchrun(flags, known);
  return settings.ok() ? "" : settings.status().message();
}

TorchrunSettings settled(const TorchrunFlags& flags, const TorchrunFacts& known = facts()) {
  const auto settings = settle_torchrun(flags, known);
  EXPECT_TRUE(settings.ok()) << settings.status().message();
  return settings.ok() ? *settings : TorchrunSettings{};
}

TEST(TorchrunSettings, CountRanks) {
  EXPECT_EQ(settled({.nproc_per_node = " 4"}).ranks, 4u);
  EXPECT_EQ(settled({.nproc_per_node = "cpu"}).ranks, 6u);
  EXPECT_EQ(settled({.nproc_per_node = "auto"}).ranks, 6u);
  EXPECT_EQ(settled({.nproc_per_node = "auto"}, facts(2)).ranks, 2u);
  EXPECT_EQ(settled({.nproc_per_node = "gpu"}, facts(2)).ranks, 2u);
  EXPECT_NE(wrong({.nproc_per_node = "gpu"}).find("no GPU is visible"), std::string::npos);
  EXPECT_NE(wrong({.nproc_per_node = "gpus"}).find("did you mean `gpu`?"), std::string::npos);
  EXPECT_NE(wrong({.nproc_per_node = "0"}), "");
}

TEST(TorchrunSettings, VirtualLocalRanks_NeedAnEntryOfTheVisibleDevicesEach) {
  TorchrunFacts known = facts();
  EXPECT_EQ(settled({.nproc_per_node = "2", .virtual_local_rank = true}, known).ranks, 2u);
  known.environment["CUDA_VISIBLE_DEVICES"] = "3";
  EXPECT_NE(wrong({.nproc_per_node = "2", .virtual_local_rank = true}, known).find("CUDA_VISIBLE_DEVICES=`3`"),
            std::string::npos);
  EXPECT_EQ(wrong({.nproc_per_node = "2"}, known), "");
  known.environment["CUDA_VISIBLE_DEVICES"] = "3,4";
  EXPECT_EQ(wrong({.nproc_per_node = "2", .virtual_local_rank = true}, known), "");
}

TEST(TorchrunSettings, OneNodeIsEnoughOrItIsAnError) {
  EXPECT_EQ(settled({.nnodes = "1:1"}).remarks.size(), 0u);
  EXPECT_EQ(settled({.nnodes = "1:4"}).remarks.size(), 1u);
  EXPECT_EQ(settled({.nnodes = "1:4", .standalone = true}).remarks.size(), 1u);
  EXPECT_NE(wrong({.nnodes = "2", .standalone = true}).find("cannot be reached"), std::string::npos);
  EXPECT_FALSE(settled({.nnodes = "1:4"}).meeting);
  EXPECT_TRUE(settled({.nnodes = "1:2", .rdzv_backend = "c10d", .rdzv_endpoint = "a:1"}).meeting);
  EXPECT_NE(wrong({.nnodes = "4:1"}).find("the smaller number last"), std::string::npos);
  for (const char* nodes : {"0", "x", "", "1:2:3", "1:"}) EXPECT_NE(wrong({.nnodes = nodes}), "") << nodes;
}

TEST(TorchrunSettings, RunIdsAreTypedOrNew) {
  EXPECT_EQ(settled({}).run_id.size(), 36u);
  EXPECT_EQ(settled({.rdzv_id = "mine", .standalone = true}).run_id.size(), 36u);
  EXPECT_EQ(settled({.rdzv_backend = "c10d", .rdzv_id = "mine"}).run_id, "mine");
  EXPECT_EQ(settled({.master_port = 1}).run_id, "none");
}

TEST(TorchrunSettings, ShutdownIsTypedOrInTheEnvironmentOrHalfAMinute) {
  TorchrunFacts known = facts();
  EXPECT_EQ(settled({}).shutdown, std::chrono::seconds(30));
  known.environment["TORCH_ELASTIC_SHUTDOWN_TIMEOUT"] = "5";
  EXPECT_EQ(settled({}, known).shutdown, std::chrono::seconds(5));
  EXPECT_EQ(settled({.shutdown_timeout = 7}, known).shutdown, std::chrono::seconds(7));
  EXPECT_NE(wrong({.shutdown_timeout = -1}), "");
  known.environment["TORCH_ELASTIC_SHUTDOWN_TIMEOUT"] = "soon";
  EXPECT_NE(wrong({}, known).find("TORCH_ELASTIC_SHUTDOWN_TIMEOUT"), std::string::npos);
}

TEST(TorchrunSettings, ABackendThatIsNoneIsSaidOnOneHostToo) {
  EXPECT_NE(wrong({.rdzv_backend = "foo"}).find("unknown --rdzv-backend `foo`"), std::string::npos);
  EXPECT_EQ(wrong({.rdzv_backend = "foo", .standalone = true}), "");
  EXPECT_EQ(wrong({.rdzv_backend = "c10d"}), "");
}

TEST(TorchrunSettings, SignalsThatAreNoneAreSaid) {
  const TorchrunSettings settings = settled({.signals_to_handle = "SIGTERM, SIGUSR1,SIGNIX,SIGKILL"});
  EXPECT_EQ(settings.signals, (std::vector<int>{SIGTERM, SIGUSR1}));
  EXPECT_EQ(settings.remarks.size(), 2u);
}

TEST(TorchrunSettings, AddressesAreChecked) {
  for (const char* good : {"", "host", "host:0", "[::1]:29400", "[::1]", " h:1 ", "10.0.0.1:65535"}) {
    EXPECT_EQ(wrong({.rdzv_backend = "c10d", .rdzv_endpoint = good}), "") << good;
  }
  for (const char* bad : {"h:p", "h:65536", "h:", ":1", "a b:1", "http://h:1"}) {
    EXPECT_NE(wrong({.rdzv_backend = "c10d", .rdzv_endpoint = bad}), "") << bad;
  }
  EXPECT_EQ(wrong({.rdzv_conf = "a=1, b = 2"}), "");
  for (const char* bad : {"a", "a=", "=1", "a=1,"}) EXPECT_NE(wrong({.rdzv_conf = bad}), "") << bad;
  EXPECT_NE(wrong({.master_port = 70000}), "");
}

TEST(TorchrunSettings, WhatCannotBeTogetherIsSaid) {
  EXPECT_NE(wrong({.module = true, .no_python = true}).find("cannot be combined"), std::string::npos);
  EXPECT_NE(wrong({.logs_specs = "mine"}).find("--logs-specs mine is not supported"), std::string::npos);
  EXPECT_EQ(wrong({.logs_specs = "default"}), "");
  EXPECT_NE(wrong({.max_restarts = -1}), "");
  EXPECT_NE(wrong({.redirects = "4"}), "");
  EXPECT_NE(wrong({.local_ranks_filter = "a"}), "");
}

}  // namespace
}  // namespace muster
