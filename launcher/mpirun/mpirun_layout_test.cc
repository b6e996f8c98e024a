// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/mpirun_layout.h"

#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/job/mpirun/mpirun_line.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;

struct Case {
  MpirunPlaces places;
  MpirunLayout layout;
};

Case case_of(const std::string& line, const std::map<std::string, std::string>& files = {},
             const std::map<std::string, std::string>& environment = {}) {
  const MpirunLine parsed = parse_mpirun(split(line, ' '));
  EXPECT_FALSE(parsed.problem) << parsed.problem->message;
  MpirunFacts facts;
  facts.here = {.cores = 4, .threads = 8, .sockets = 2, .numa_nodes = 2};
  facts.hosts["a1"] = facts.hosts["a2"] = {.cores = 2, .threads = 2};
  facts.own_names = {"localhost", "127.0.0.1", "here"};
  facts.environment = environment;
  Case all;
  all.places = mpirun_places(parsed.flags, files, facts.own_names);
  EXPECT_FALSE(all.places.problem) << all.places.problem->message;
  all.layout = mpirun_layout(parsed.flags, all.places, facts);
  return all;
}

// "0@0:4": program 0 with 4 ranks on host 0, and so on.
std::string parts_of(const std::string& line, const std::map<std::string, std::string>& files = {},
                     const std::map<std::string, std::string>& environment = {}) {
  const Case all = case_of(line, files, environment);
  if (all.layout.problem) return all.layout.problem->code + ": " + all.layout.problem->message;
  Words words;
  for (const MpirunPart& part : all.layout.parts) {
    Words hosts;
    for (const size_t host : part.hosts) hosts.push_back(std::to_string(host));
    words.push_back(std::to_string(part.app) + "@" + join(hosts, ",") + ":" + std::to_string(part.ranks));
  }
  return join(words, " ") + (all.layout.cyclic ? " cyclic" : "");
}

std::string problem_of_file(const std::string& text) {
  std::vector<MpirunHost> hosts;
  const auto problem = add_host_file(text, "hosts", hosts);
  return problem
             ? problem->code + " " + std::to_string(problem->where.line) + ":" + std::to_string(problem->where.column)
             : "";
}

TEST(MpirunLayout, OneMachine_HasASlotForEachCore) {
  EXPECT_EQ(parts_of("p"), "0@0:4");
  EXPECT_EQ(parts_of("-np 0 p"), "0@0:4");
  EXPECT_EQ(parts_of("-np 3 p"), "0@0:3");
  EXPECT_EQ(parts_of("--use-hwthread-cpus p"), "0@0:8");
  EXPECT_EQ(parts_of("-np 9 --oversubscribe p"), "0@0:9");
  EXPECT_EQ(parts_of("-np 9 --map-by :OVERSUBSCRIBE p"), "0@0:9");
  EXPECT_EQ(parts_of("-np 9 --mca rmaps_base_oversubscribe 1 p"), "0@0:9");
  EXPECT_EQ(parts_of("-np 9 p", {}, {{"OMPI_MCA_rmaps_base_oversubscribe", "yes"}}), "0@0:9");
}

TEST(MpirunLayout, MoreRanksThanSlots_AreRefused) {
  EXPECT_EQ(parts_of("-np 5 p"), "E1705: 5 ranks of p do not fit: 4 slots are free on this machine, which has 4 cores");
  EXPECT_EQ(parts_of("-H localhost -np 2 p"), "E1705: 2 ranks of p do not fit: 1 slot is free on 1 host");
  EXPECT_EQ(parts_of("-np 1 p : q"),
            "E1705: 4 ranks of q do not fit: 3 slots are free on this machine, which has 4 cores");
  EXPECT_EQ(parts_of("-np 4 p : -np 1 q"),
            "E1705: 1 rank of q does not fit: 0 slots are free on this machine, which has 4 cores");
}

TEST(MpirunLayout, OwnNames_AreThisMachine) {
  const Case all = case_of("-H localhost,127.0.0.1:2,here p");
  EXPECT_FALSE(all.places.remote);
  EXPECT_EQ(all.places.hosts.size(), 1u);
  EXPECT_EQ(parts_of("-H localhost,127.0.0.1:2,here p"), "0@0:4");
  EXPECT_TRUE(case_of("-H localhost,a1 p").places.remote);
}

TEST(MpirunLayout, BySlot_FillsHostsInOrder) {
  EXPECT_EQ(parts_of("-H a1:2,a2:2 p"), "0@0,1:2");
  EXPECT_EQ(parts_of("-H a1:2,a2:2 -np 3 p"), "0@0:2 0@1:1");
  EXPECT_EQ(parts_of("-H a1:2,a2:2 -np 2 p"), "0@0:2");
  EXPECT_EQ(parts_of("-H a1:2,a2:2 -np 7 --oversubscribe p"), "0@0:4 0@1:3");
}

TEST(MpirunLayout, ByNode_TakesHostsInTurn) {
  EXPECT_EQ(parts_of("-H a1:2,a2:2 -np 2 --map-by node p"), "0@0,1:1 cyclic");
  EXPECT_EQ(parts_of("-H a1:2,a2:2 --map-by node p"), "0@0,1:2 cyclic");
  EXPECT_EQ(parts_of("-H a1:2,a2:2 --map-by node --rank-by slot -np 3 p"), "0@0:2 0@1:1");
  EXPECT_EQ(parts_of("-H a1:2,a2:2 --rank-by node p"), "0@0,1:2 cyclic");
  EXPECT_TRUE(parts_of("-H a1:2,a2:2 --map-by node -np 3 p").starts_with("E1707: "));
  EXPECT_EQ(parts_of("--map-by node -np 3 p"), "0@0:3");
}

TEST(MpirunLayout, PerObject_CountsOnEachHost) {
  EXPECT_EQ(parts_of("-H a1:2,a2:2 -N 1 p"), "0@0,1:1");
  EXPECT_EQ(parts_of("-H a1:2,a2:2 -N 2 -np 4 p"), "0@0,1:2");
  EXPECT_EQ(parts_of("-H a1:2,a2:2 -npernode 1 -np 2 p"), "0@0,1:1");
  EXPECT_EQ(parts_of("-ppn 2 -np 2 p"), "0@0:2");
  EXPECT_EQ(parts_of("--map-by ppr:1:socket p"), "0@0:2");
  EXPECT_EQ(parts_of("--map-by ppr:2:numa p"), "0@0:4");
  EXPECT_EQ(parts_of("-np 2 -npernode 1 p"), "E1705: 2 ranks do not fit: the policy allows 1 on 1 host");
}

TEST(MpirunLayout, SeveralPrograms_ShareTheSlots) {
  EXPECT_EQ(parts_of("-np 1 p : -np 3 q"), "0@0:1 1@0:3");
  EXPECT_EQ(parts_of("-H a1:2,a2:2 -np 2 p : -H a1:2,a2:2 -np 2 q"), "0@0:2 1@1:2");
  EXPECT_EQ(parts_of("-H a1:2 -np 2 p : -H a2:2 -np 2 q"), "0@0:2 1@1:2");
}

TEST(MpirunLayout, HostFile_GivesSlots) {
  EXPECT_EQ(parts_of("-f hosts p", {{"hosts", "a1 slots=2\na2:1 # the small one\n"}}), "0@0:2 0@1:1");
  EXPECT_EQ(parts_of("-hostfile hosts p", {{"hosts", "a1\na2\n"}}), "0@0,1:2");
  EXPECT_EQ(parts_of("-hostfile hosts p", {{"hosts", "a1\na1\na1\na2 slots=3 max_slots=9\n"}}), "0@0,1:3");
  EXPECT_EQ(parts_of("-hostfile hosts -H a2 p", {{"hosts", "a1 slots=2\na2 slots=3\n"}}), "0@0:1");
}

TEST(MpirunLayout, WrongHostFiles_HaveLineAndColumn) {
  EXPECT_EQ(problem_of_file("a1\n-p2 slots=1\n"), "E1501 2:1");
  EXPECT_EQ(problem_of_file("a1 slots=x\n"), "E1502 1:4");
  EXPECT_EQ(problem_of_file("a1 slots=2\na1 slots=2\n"), "E1503 2:1");
  EXPECT_EQ(problem_of_file("# none\n"), "E1504 1:1");
  EXPECT_EQ(problem_of_file("rank 0=a1 slot=0\n"), "E1506 1:6");
}

TEST(MpirunLayout, Binding_ReservesCpus) {
  EXPECT_EQ(case_of("-np 2 p").layout.cpus, 0u);
  EXPECT_EQ(case_of("-np 2 --bind-to core p").layout.cpus, 2u);
  EXPECT_EQ(case_of("-np 2 --bind-to hwthread p").layout.cpus, 1u);
  EXPECT_EQ(case_of("-np 2 --map-by slot:PE=2 p").layout.cpus, 4u);
  EXPECT_EQ(case_of("-np 2 --map-by slot:PE=2 --bind-to none p").layout.cpus, 0u);
  EXPECT_EQ(case_of("-np 2 --bind-to core:2 p").layout.cpus, 4u);
  EXPECT_EQ(case_of("-np 9 --oversubscribe --bind-to core:overload-allowed p").layout.cpus, 0u);
  EXPECT_EQ(parts_of("-np 9 --oversubscribe --bind-to core p"),
            "E1705: 9 ranks need 18 CPUs on this machine, which has 8");
  EXPECT_EQ(case_of("--bind-to socket p").layout.notes,
            (Words{"--bind-to socket has no effect: muster binds ranks to cores or not at all"}));
}

TEST(MpirunLayout, UnknownPolicies_AreRefused) {
  EXPECT_EQ(parts_of("--map-by foo p"), "E1702: --map-by: unknown policy `foo`");
  EXPECT_EQ(parts_of("--map-by node:PE=x p"), "E1702: --map-by: unknown policy `node:PE=x`");
  EXPECT_EQ(parts_of("--rank-by foo p"), "E1702: --rank-by: unknown policy `foo`");
  EXPECT_EQ(parts_of("--bind-to foo p"), "E1702: --bind-to: unknown policy `foo`");
  EXPECT_EQ(parts_of("--map-by seq p"), "E1703: --map-by seq is not available: muster does not have it");
}

}  // namespace
}  // namespace muster
