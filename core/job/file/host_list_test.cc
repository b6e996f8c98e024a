// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/host_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> told(const HostList& list) {
  std::vector<std::string> texts;
  for (const ListedHost& host : list.hosts)
    texts.push_back(host.name + (host.slots ? " " + std::to_string(*host.slots) : ""));
  return texts;
}

std::vector<std::string> codes(const HostList& list) {
  std::vector<std::string> codes;
  for (const Diagnostic& each : list.problems) codes.push_back(each.code);
  return codes;
}

TEST(HostListTest, WordsNameHostsUsersSlotsAndAddresses) {
  const HostList list =
      parse_host_words("a1,a2:4,mia@b.example,[fe80::1%eth0]:2,mia@[::1],10.0.0.1:3,2001:db8::5", "--hosts");
  EXPECT_THAT(list.problems, IsEmpty());
  EXPECT_THAT(told(list),
              ElementsAre("a1", "a2 4", "mia@b.example", "fe80::1%eth0 2", "mia@::1", "10.0.0.1 3", "2001:db8::5"));
}

TEST(HostListTest, AFileHasAHostALineAndComments) {
  const HostList list = parse_host_file("# rack 1\na1 slots=4\n\n  a2:2   # the small one\nmia@a3\r\n", "hosts");
  EXPECT_THAT(list.problems, IsEmpty());
  EXPECT_THAT(told(list), ElementsAre("a1 4", "a2 2", "mia@a3"));
  EXPECT_EQ(list.hosts[1].where, (SourceRange{"hosts", 4, 3, 4}));
}

TEST(HostListTest, WhatSshWouldTakeForAnOptionIsNoHost) {
  for (const std::string word : {"-oProxyCommand=x", "mia@-oProxyCommand=x", "-l@a", "a b", "a;b", "$(x)", "@a", "a@",
                                 "", "a@b@-x", "node[01-04]", "[fe80::1", "[::1]x:4", "a]"}) {
    const HostList list = parse_host_words(word + ",ok", "--hosts");
    EXPECT_THAT(codes(list), ElementsAre("E1501")) << word;
  }
}

TEST(HostListTest, RangesOfOtherToolsAreNotHosts) {
  const HostList list = parse_host_words("node[01,02]", "--hosts");
  EXPECT_THAT(codes(list), testing::Contains("E1501"));
  EXPECT_THAT(list.problems.front().message, HasSubstr("ranges such as a[01-04] are not expanded"));
}

TEST(HostListTest, EveryMistakeHasItsPlace) {
  const HostList list = parse_host_file("a1 slots=many\na1\na2:0\na3 slots=1 slots=2\na4 max_slots=8\n", "hosts");
  ASSERT_THAT(codes(list), ElementsAre("E1502", "E1503", "E1502", "E1502", "E1506"));
  EXPECT_EQ(list.problems[0].where, (SourceRange{"hosts", 1, 4, 10}));
  EXPECT_THAT(list.problems[1].message, HasSubstr("a1 is listed twice"));
  EXPECT_EQ(list.problems[1].help, "first on line 1");
  EXPECT_EQ(list.problems[3].where.column, 12u);
  EXPECT_THAT(list.problems[4].message, HasSubstr("`max_slots`"));
}

TEST(HostListTest, ThereIsAHostAndThereAreNotTooMany) {
  EXPECT_THAT(codes(parse_host_file("# none\n\n", "hosts")), ElementsAre("E1504"));
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "h" + std::to_string(i) + "\n";
  EXPECT_THAT(codes(parse_host_file(many, "hosts")), ElementsAre("E1505"));
}

TEST(HostList, AFileSaysLabelsAndWeights) {
  const HostList list = parse_host_file("a1 slots=8 label=rack1 weight=2\na2 weight=0 label=b slots=1\n", "hosts");
  ASSERT_TRUE(list.problems.empty());
  EXPECT_EQ(list.hosts[0].label, "rack1");
  EXPECT_EQ(list.hosts[0].weight, 2u);
  EXPECT_EQ(list.hosts[1].weight, 0u);
  EXPECT_EQ(list.hosts[1].slots, 1u);
}

TEST(HostList, WrongLabelsAndWeightsHaveTheirPlaces) {
  const HostList list =
      parse_host_file("a1 label=\na2 label=x label=y\na3 weight=heavy\na4 weight=1 weight=2\n", "hosts");
  std::vector<std::string> places;
  for (const Diagnostic& each : list.problems)
    places.push_back(each.code + " " + std::to_string(each.where.line) + ":" + std::to_string(each.where.column));
  EXPECT_THAT(places, testing::ElementsAre("E1507 1:4", "E1507 2:12", "E1508 3:4", "E1508 4:13"));
}

}  // namespace
}  // namespace muster
