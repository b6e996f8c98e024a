// SPDX-License-Identifier: Apache-2.0
// The dialogues are those of MPICH 5.0.2 with its own server (mpiexec -verbose; strace), with other names and addresses.
#include "core/node/pmi/pmi_server.h"

#include <gtest/gtest.h>

#include "core/node/pmi/pmi_mapping.h"

namespace muster {
namespace {

PmiWorld two_ranks() {
  PmiWorld world;
  world.name = "kvs_7_0";
  world.nodes = {0, 0};
  world.ranks = {0, 1};
  return world;
}

// All that the server writes to this rank.
std::string written(const PmiActions& actions, uint32_t local) {
  std::string bytes;
  for (const auto& write : actions.writes) bytes += write.local == local ? write.bytes : "";
  return bytes;
}

std::string answer(PmiServer& server, const std::string& line, uint32_t local = 0) {
  return written(server.received(local, line + "\n"), local);
}

std::string message(const std::string& text) { return PmiMessage::of_fields(text)->as_fields(); }

// The text of the answer, without its length.
std::string answer2(PmiServer& server, const std::string& text, uint32_t local = 0) {
  const std::string bytes = written(server.received(local, message(text)), local);
  return bytes.size() < kPmiLengthSize ? bytes : bytes.substr(kPmiLengthSize);
}

void init(PmiServer& server, int version, uint32_t ranks = 2) {
  for (uint32_t local = 0; local < ranks; ++local) {
    const std::string v = std::to_string(version);
    EXPECT_EQ(answer(server, "cmd=init pmi_version=" + v + " pmi_subversion=1", local),
              "cmd=response_to_init rc=0 pmi_version=" + v + " pmi_subversion=" + (version == 1 ? "1" : "0") + "\n");
  }
}

TEST(PmiOne, Start_OfMpich) {
  PmiServer server(two_ranks());
  EXPECT_FALSE(server.initialized(0));
  init(server, 1);
  EXPECT_TRUE(server.initialized(0));
  EXPECT_EQ(answer(server, "cmd=get_maxes"), "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024\n");
  EXPECT_EQ(answer(server, "cmd=get_appnum"), "cmd=appnum rc=0 appnum=0\n");
  EXPECT_EQ(answer(server, "cmd=get_my_kvsname"), "cmd=my_kvsname rc=0 kvsname=kvs_7_0\n");
  EXPECT_EQ(answer(server, "cmd=get_universe_size"), "cmd=universe_size rc=0 size=2\n");
  EXPECT_EQ(answer(server, "cmd=get kvsname=kvs_7_0 key=PMI_process_mapping"),
            "cmd=get_result rc=0 msg=success value=(vector,(0,1,2))\n");
  EXPECT_EQ(answer(server, "cmd=get kvsname=kvs_7_0 key=PMI_hwloc_xmlfile"),
            "cmd=get_result rc=-1 msg=there_is_no_such_key\n");
}

TEST(PmiOne, Values_AreSeenAfterTheBarrier) {
  PmiServer server(two_ranks());
  init(server, 1);
  EXPECT_EQ(answer(server, "cmd=put kvsname=kvs_7_0 key=-allgather-1-0-seg-1/9 value=20[2]6A = b c"),
            "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(answer(server, "cmd=barrier_in"), "");
  const PmiActions last = server.received(1, "cmd=barrier_in\n");
  EXPECT_EQ(written(last, 0), "cmd=barrier_out rc=0\n");
  EXPECT_EQ(written(last, 1), "cmd=barrier_out rc=0\n");
  EXPECT_FALSE(last.exchange);
  EXPECT_EQ(answer(server, "cmd=get kvsname=kvs_7_0 key=-allgather-1-0-seg-1/9", 1),
            "cmd=get_result rc=0 msg=success value=20[2]6A = b c\n");
}

TEST(PmiOne, Finalize_IsAcknowledged) {
  PmiServer server(two_ranks());
  init(server, 1);
  EXPECT_FALSE(server.finalized(0));
  EXPECT_EQ(answer(server, "cmd=finalize"), "cmd=finalize_ack rc=0\n");
  EXPECT_TRUE(server.finalized(0));
}

TEST(PmiOne, Abort_NamesRankAndCode) {
  PmiServer server(two_ranks());
  init(server, 1);
  const PmiActions actions = server.received(1, "cmd=abort exitcode=7 message=out of cheese\n");
  EXPECT_EQ(actions.abort, (PmiAbort{1, 7, "out of cheese"}));
  EXPECT_TRUE(actions.writes.empty());
}

TEST(PmiOne, WhatMusterDoesNotHave_IsRefused) {
  PmiServer server(two_ranks());
  init(server, 1);
  EXPECT_EQ(answer(server, "cmd=publish_name service=s port=p"),
            "cmd=publish_result rc=-1 msg=publish_name_is_not_available_under_muster info=failed\n");
  EXPECT_EQ(answer(server, "cmd=lookup_name service=s"),
            "cmd=lookup_result rc=-1 msg=lookup_name_is_not_available_under_muster info=failed\n");
  EXPECT_EQ(answer(server, "mcmd=spawn\nnprocs=1\nexecname=./b\ntotspawns=1\nendcmd"),
            "cmd=spawn_result rc=-1 msg=MPI_Comm_spawn_is_not_available_under_muster status=failed\n");
  EXPECT_EQ(answer(server, "cmd=what"), "cmd=what_result rc=-1 msg=unknown_command\n");
}

TEST(PmiOne, Refusals_AreTold) {
  PmiServer server(two_ranks());
  init(server, 1);
  const PmiActions actions = server.received(1, "mcmd=spawn\nendcmd\ncmd=lookup_name service=s\n");
  EXPECT_EQ(actions.refusals, (std::vector<PmiActions::Refusal>{{1, "MPI_Comm_spawn"}, {1, "MPI_Lookup_name"}}));
}

TEST(PmiOne, Limits_AreKept) {
  PmiServer server(two_ranks());
  init(server, 1);
  const std::string put = "cmd=put kvsname=kvs_7_0 key=";
  EXPECT_EQ(answer(server, put + std::string(64, 'k') + " value=v"),
            "cmd=put_result rc=-1 msg=a_key_has_1_to_63_bytes\n");
  EXPECT_EQ(answer(server, put + "k value=" + std::string(1024, 'v')),
            "cmd=put_result rc=-1 msg=a_value_has_at_most_1023_bytes\n");
  EXPECT_EQ(answer(server, "cmd=put kvsname=other key=k value=v"),
            "cmd=put_result rc=-1 msg=there_is_no_such_kvsname\n");
}

TEST(PmiOne, OtherBytes_AreAFault) {
  for (const std::string& bytes : {std::string("GET / HTTP/1.1\n"), std::string("cmd=get_maxes\n"), std::string("\n"),
                                   std::string(kPmiLongest + 1, 'x')}) {
    PmiServer server(two_ranks());
    const PmiActions actions = server.received(0, bytes);
    ASSERT_EQ(actions.faults.size(), 1u) << bytes.substr(0, 20);
    EXPECT_EQ(actions.faults[0].local, 0u);
    EXPECT_TRUE(server.received(0, "cmd=init pmi_version=1 pmi_subversion=1\n").writes.empty());
  }
}

TEST(PmiOne, Pieces_OfALine_AreJoined) {
  PmiServer server(two_ranks());
  EXPECT_TRUE(server.received(0, "cmd=init pmi_ver").writes.empty());
  const PmiActions actions = server.received(0, "sion=1 pmi_subversion=1\ncmd=get_appnum\n");
  EXPECT_EQ(actions.writes.size(), 2u);
}

TEST(PmiTwo, Start_AndAttributes) {
  PmiServer server(two_ranks());
  init(server, 2);
  EXPECT_EQ(
      answer2(server, "cmd=fullinit;pmijobid=kvs_7_0;pmirank=0;threaded=FALSE;"),
      "cmd=fullinit-response;rc=0;pmi-version=2;pmi-subversion=0;rank=0;size=2;appnum=0;debugged=FALSE;pmiverbose=0;");
  EXPECT_EQ(answer2(server, "cmd=job-getid;"), "cmd=job-getid-response;rc=0;jobid=kvs_7_0;");
  EXPECT_EQ(answer2(server, "cmd=info-getjobattr;key=PMI_process_mapping;"),
            "cmd=info-getjobattr-response;rc=0;found=TRUE;value=(vector,(0,1,2));");
  EXPECT_EQ(answer2(server, "cmd=info-getjobattr;key=universeSize;"),
            "cmd=info-getjobattr-response;rc=0;found=TRUE;value=2;");
  EXPECT_EQ(answer2(server, "cmd=info-getjobattr;key=nope;"), "cmd=info-getjobattr-response;rc=0;found=FALSE;");
}

TEST(PmiTwo, FenceAndGet) {
  PmiServer server(two_ranks());
  init(server, 2);
  EXPECT_EQ(answer2(server, "cmd=kvs-put;thrid=4;key=key-0;value=v;;x y;"), "cmd=kvs-put-response;thrid=4;rc=0;");
  EXPECT_EQ(answer2(server, "cmd=kvs-fence;thrid=9;"), "");
  const PmiActions last = server.received(1, message("cmd=kvs-fence;"));
  EXPECT_EQ(written(last, 0), message("cmd=kvs-fence-response;thrid=9;rc=0;"));
  EXPECT_EQ(written(last, 1), message("cmd=kvs-fence-response;rc=0;"));
  EXPECT_EQ(answer2(server, "cmd=kvs-get;jobid=kvs_7_0;srcid=-1;key=key-0;", 1),
            "cmd=kvs-get-response;rc=0;found=TRUE;value=v;;x y;");
  EXPECT_EQ(answer2(server, "cmd=kvs-get;jobid=kvs_7_0;srcid=-1;key=nope;", 1),
            "cmd=kvs-get-response;rc=1;found=FALSE;");
}

TEST(PmiTwo, NodeAttribute_IsWaitedFor) {
  PmiServer server(two_ranks());
  init(server, 2);
  EXPECT_EQ(answer2(server, "cmd=info-getnodeattr;key=shm;wait=FALSE;", 1),
            "cmd=info-getnodeattr-response;rc=0;found=FALSE;");
  EXPECT_EQ(answer2(server, "cmd=info-getnodeattr;key=shm;wait=TRUE;", 1), "");
  const PmiActions put = server.received(0, message("cmd=info-putnodeattr;key=shm;value=/dev/shm/a;"));
  EXPECT_EQ(written(put, 0), message("cmd=info-putnodeattr-response;rc=0;"));
  EXPECT_EQ(written(put, 1), message("cmd=info-getnodeattr-response;rc=0;found=TRUE;value=/dev/shm/a;"));
}

TEST(PmiTwo, FinalizeAbortAndRefusals) {
  PmiServer server(two_ranks());
  init(server, 2);
  EXPECT_EQ(answer2(server, "cmd=name-publish;name=s;port=p;infokeycount=0;"),
            "cmd=name-publish-response;rc=1;errmsg=name-publish is not available under muster;");
  EXPECT_EQ(answer2(server, "cmd=finalize;"), "cmd=finalize-response;rc=0;");
  EXPECT_TRUE(server.finalized(0));
  const PmiActions actions = server.received(1, message("cmd=abort;isworld=TRUE;msg=stop;; now;"));
  EXPECT_EQ(actions.abort, (PmiAbort{1, 1, "stop; now"}));
}

TEST(PmiTwo, WrongLengths_AreAFault) {
  for (const char* bytes : {"abcdef", "    -1", "999999", "     9cmd=x;y=z", "      "}) {
    PmiServer server(two_ranks());
    init(server, 2);
    EXPECT_EQ(server.received(0, bytes).faults.size(), 1u) << bytes;
  }
}

// Two nodes with one rank each.
struct TwoNodes {
  TwoNodes() : first(world(0)), second(world(1)) {
    init(first, 1, 1);
    init(second, 1, 1);
  }
  static PmiWorld world(uint32_t node) {
    PmiWorld world;
    world.name = "kvs_7_0";
    world.nodes = {0, 1};
    world.ranks = {node};
    return world;
  }
  PmiServer first;
  PmiServer second;
};

TEST(PmiNodes, ABarrier_ExchangesTheNewValues) {
  TwoNodes nodes;
  EXPECT_EQ(answer(nodes.first, "cmd=put kvsname=kvs_7_0 key=a value=10.0.0.1"), "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(answer(nodes.second, "cmd=put kvsname=kvs_7_0 key=b value=10.0.0.2"), "cmd=put_result rc=0 msg=success\n");
  const PmiActions one = nodes.first.received(0, "cmd=barrier_in\n");
  const PmiActions two = nodes.second.received(0, "cmd=barrier_in\n");
  ASSERT_TRUE(one.exchange && two.exchange);
  EXPECT_TRUE(one.writes.empty());
  EXPECT_EQ(written(nodes.first.exchanged({*one.exchange, *two.exchange}), 0), "cmd=barrier_out rc=0\n");
  EXPECT_EQ(written(nodes.second.exchanged({*one.exchange, *two.exchange}), 0), "cmd=barrier_out rc=0\n");
  EXPECT_EQ(answer(nodes.first, "cmd=get kvsname=kvs_7_0 key=b"), "cmd=get_result rc=0 msg=success value=10.0.0.2\n");
  EXPECT_EQ(answer(nodes.second, "cmd=get kvsname=kvs_7_0 key=a"), "cmd=get_result rc=0 msg=success value=10.0.0.1\n");
  EXPECT_EQ(nodes.first.received(0, "cmd=barrier_in\n").exchange, "");
}

TEST(PmiNodes, DamagedBytes_AreAFaultOfAllRanks) {
  TwoNodes nodes;
  static_cast<void>(nodes.first.received(0, "cmd=barrier_in\n"));
  EXPECT_EQ(nodes.first.exchanged({"1:k9:short"}).faults.size(), 1u);
}

TEST(PmiNodes, ExchangedWithoutABarrier_DoesNothing) {
  TwoNodes nodes;
  EXPECT_TRUE(nodes.first.exchanged({"1:k1:v"}).writes.empty());
}

TEST(PmiMapping, Blocks) {
  EXPECT_EQ(pmi_process_mapping({0, 0, 0}), "(vector,(0,1,3))");
  EXPECT_EQ(pmi_process_mapping({0, 0, 1, 1}), "(vector,(0,2,2))");
  EXPECT_EQ(pmi_process_mapping({0, 1, 0, 1}), "(vector,(0,2,1))");
  EXPECT_EQ(pmi_process_mapping({0, 0, 1}), "(vector,(0,1,2),(1,1,1))");
  EXPECT_EQ(pmi_process_mapping({1, 0}), "(vector,(1,1,1),(0,1,1))");
  EXPECT_EQ(pmi_process_mapping({}), "(vector)");
  std::vector<uint32_t> wild;
  for (uint32_t rank = 0; rank < 400; ++rank) wild.push_back(rank * rank % 7);
  EXPECT_EQ(pmi_process_mapping(wild), "");
}

TEST(PmiEnvironment, NamesSocketRankAndSize) {
  const auto variables = pmi_environment(TwoNodes::world(1), 0, 9);
  EXPECT_EQ(variables.at("PMI_FD"), "9");
  EXPECT_EQ(variables.at("PMI_RANK"), "1");
  EXPECT_EQ(variables.at("PMI_SIZE"), "2");
  EXPECT_EQ(variables.at("MPI_LOCALNRANKS"), "1");
}

}  // namespace
}  // namespace muster
