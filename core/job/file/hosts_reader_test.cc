// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/job/file/host_list.h"
#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> problems_of(const std::string& hosts) {
  std::vector<std::string> texts;
  for (const Diagnostic& each : parse_job("command: [x]\nhosts: " + hosts, "job.yaml").diagnostics) {
    texts.push_back(each.code + " " + std::to_string(each.where.line) + ":" + std::to_string(each.where.column) + " " +
                    each.message);
  }
  return texts;
}

TEST(HostsReader, ReadsWordsAndMaps) {
  const ParsedJob job = parse_job(
      "command: [x]\nplacement: cyclic\nhosts:\n  - a1\n  - mia@a2:4\n"
      "  - {name: \"fe80::1\", slots: 8, address: ib0, env: {A: b}, scratch: /s}\n",
      "job.yaml");
  ASSERT_TRUE(job.diagnostics.empty()) << render_diagnostics(job.diagnostics, "", false);
  EXPECT_THAT(job.spec.hosts,
              ElementsAre(HostSpec{"a1"}, HostSpec{"mia@a2", 4}, HostSpec{"fe80::1", 8, "ib0", {{"A", "b"}}, "/s"}));
  EXPECT_EQ(job.spec.placement, Placement::cyclic);
  EXPECT_EQ(parse_job("command: [x]\nhosts: a1,a2:4", "job.yaml").spec.hosts,
            (std::vector<HostSpec>{{"a1"}, {"a2", 4}}));
}

TEST(HostsReader, WhatIsWrongHasItsPlace) {
  EXPECT_THAT(problems_of("[]"), ElementsAre("E1504 2:8 the list contains no host"));
  EXPECT_THAT(problems_of("[a1, a1:2]"), ElementsAre("E1503 2:13 the host a1 is listed twice"));
  EXPECT_THAT(problems_of("[a1, {name: a1}]"), ElementsAre("E1503 2:20 the host a1 is listed twice"));
  EXPECT_THAT(problems_of("[-x]"), ElementsAre("E1501 2:9 `-x` begins with a dash, so ssh would take it as an option"));
  EXPECT_THAT(problems_of("[a1:0]"), ElementsAre("E1502 2:9 `0` is not a number of slots for a1: use 1 to 65536"));
  EXPECT_THAT(problems_of("[{slots: 2}]"), ElementsAre("E1501 2:9 a host has no name"));
  EXPECT_THAT(problems_of("[{name: a1, slot: 2}]"), ElementsAre("E1201 2:20 unknown key `slot` in a host"));
  EXPECT_THAT(problems_of("[{name: a1, slots: many}]").size(), 1);
  EXPECT_THAT(problems_of("[{name: \"a1:4\", slots: 2}]"),
              ElementsAre("E1502 2:16 the slots of a1 differ in its name and in `slots`"));
  EXPECT_THAT(problems_of("{name: a1}").size(), 1);
  EXPECT_THAT(problems_of("[[a1]]").size(), 1);
  EXPECT_THAT(problems_of("[a1, a2]"), IsEmpty());
}

TEST(HostsReader, LabelsAndWeights) {
  const ParsedJob job = parse_job(
      "groups: [{name: a, command: [x], label: cpu}]\nhosts: [{name: a1, label: cpu, weight: 3}, {name: a2, weight: "
      "0}]",
      "job.yaml");
  ASSERT_TRUE(job.diagnostics.empty()) << render_diagnostics(job.diagnostics, "", false);
  EXPECT_EQ(job.spec.hosts[0].label, "cpu");
  EXPECT_EQ(job.spec.hosts[0].weight, 3u);
  EXPECT_EQ(job.spec.hosts[1].weight, 0u);
  EXPECT_EQ(job.spec.groups[0].label, "cpu");
  EXPECT_EQ(parse_job_json(spec_to_json(job.spec), "it").spec, job.spec);
  EXPECT_THAT(problems_of("[{name: a1, label: a/b}]"),
              ElementsAre("E1507 2:27 `a/b` is not a label: use letters, digits and ._-, at most 63"));
}

TEST(HostsReader, AFlagHasWords) {
  JobSpec spec;
  EXPECT_TRUE(apply_overrides(spec, {{"hosts", "a1,[fe80::1]:2,mia@a2", "--hosts"}}).empty());
  EXPECT_EQ(spec.hosts, (std::vector<HostSpec>{{"a1"}, {"fe80::1", 2}, {"mia@a2"}}));
  EXPECT_TRUE(apply_overrides(spec, {{"hosts", "[{name: a3, slots: 2}]", "--set hosts"}}).empty());
  EXPECT_EQ(spec.hosts, (std::vector<HostSpec>{{"a3", 2}}));
  const auto wrong = apply_overrides(spec, {{"hosts", "a1,a1", "--hosts"}});
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].where.file, "--hosts");
}

TEST(HostsReader, ASpecIsReadBack) {
  JobSpec spec;
  spec.name = "x";
  spec.groups = {GroupSpec{.command = {"x"}}};
  spec.placement = Placement::cyclic;
  spec.hosts = {{"a1"}, {"fe80::1"}, {"mia@fe80::1", 4}, {"a:1"}, {"a2", 3, "ib0", {{"A", "1:2"}}, "/s"}};
  const ParsedJob read = parse_job_json(spec_to_json(spec), "x");
  ASSERT_TRUE(read.diagnostics.empty()) << render_diagnostics(read.diagnostics, "", false);
  EXPECT_EQ(read.spec, spec);
}

TEST(HostsReader, FourThousandHostsAreAJob) {
  JobSpec spec;
  spec.name = "x";
  spec.groups = {GroupSpec{.command = {"x"}}};
  for (size_t i = 0; i < kMostHosts; ++i) spec.hosts.push_back({"gpu-node-" + std::to_string(i) + ".example.org", 8});
  const ParsedJob read = parse_job_json(spec_to_json(spec), "x");
  EXPECT_TRUE(read.diagnostics.empty()) << render_diagnostics(read.diagnostics, "", false);
  EXPECT_EQ(read.spec.hosts.size(), kMostHosts);
}

}  // namespace
}  // namespace muster
