// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/rank/flight_record.h"
#include "core/rank/pickle_text.h"
#include "core/rank/ras_answer.h"

namespace muster {
namespace {

std::string entry(const std::string& name, int sequence, const std::string& state, const std::string& more = "") {
  return R"({"process_group":["0","default_pg"],"profiling_name":"nccl:)" + name + R"(","collective_seq_id":)" +
         std::to_string(sequence) + R"(,"state":")" + state +
         R"(","retired":false,"is_p2p":false,"input_dtypes":["Float"],"input_sizes":[[4]])" + more + "}";
}

std::string record(const std::string& entries) { return R"({"version":"2.10","entries":[)" + entries + "]}"; }

TEST(FlightRecord, TheFirstThatIsNotDoneIsWhatARankWaitsIn) {
  const auto stands =
      read_flight_record(record(entry("all_reduce", 1, "completed") + "," + entry("broadcast", 2, "started") + "," +
                                entry("all_reduce", 3, "scheduled")));
  ASSERT_TRUE(stands);
  EXPECT_EQ(*stands, (std::vector<CollectiveProgress>{{"default_pg", "broadcast", "Float [4]", 2, true}}));
  EXPECT_EQ(flight_record_lines(*stands), "  flight recorder: waits in broadcast #2 of default_pg, Float [4]\n");
}

TEST(FlightRecord, ElseTheLast) {
  const auto stands =
      read_flight_record(record(entry("all_reduce", 1, "completed") + "," + entry("broadcast", 2, "completed")));
  ASSERT_TRUE(stands);
  EXPECT_EQ(stands->front().sequence, 2u);
  EXPECT_FALSE(stands->front().waits);
}

// A record of Gloo.
TEST(FlightRecord, OneThatWasScheduledAndRetiredIsDone) {
  const std::string done =
      R"({"process_group":["0","default_pg"],"profiling_name":"gloo:all_reduce","collective_seq_id":4,"state":"scheduled","retired":true})";
  EXPECT_FALSE(read_flight_record(record(done))->front().waits);
}

TEST(FlightRecord, GroupsOfOneDescriptionAreTwo) {
  const std::string first =
      R"({"process_group":["3","rows"],"profiling_name":"all_gather","collective_seq_id":4,"state":"completed"})";
  const std::string second =
      R"({"process_group":["5","rows"],"profiling_name":"all_gather","collective_seq_id":4,"state":"started"})";
  const auto stands = read_flight_record(record(first + "," + second));
  ASSERT_EQ(stands->size(), 2u);
  EXPECT_EQ((*stands)[0].group, "rows (5)");
  EXPECT_EQ((*stands)[1].group, "rows (3)");
}

TEST(FlightRecord, SendsAreLeftOutAndNoneIsToldAsNone) {
  const std::string send =
      R"({"process_group":["0","default_pg"],"profiling_name":"send","collective_seq_id":4,"state":"started","is_p2p":true})";
  const auto stands = read_flight_record(record(send));
  EXPECT_EQ(*stands, (std::vector<CollectiveProgress>{{"default_pg", "", "", 0, false}}));
  EXPECT_EQ(flight_record_lines(*stands), "  flight recorder: no collective of default_pg yet\n");
}

TEST(FlightRecord, Nonsense) {
  EXPECT_FALSE(read_flight_record(""));
  EXPECT_FALSE(read_flight_record("[1]"));
  EXPECT_TRUE(read_flight_record(
      R"({"version":1,"entries":[1,{"collective_seq_id":-1},{"process_group":3,"collective_seq_id":1}]})"));
}

// python3 -c 'import pickle; print(pickle.dumps(VALUE, 2))'
std::string pickled(const std::string& body) { return "\x80\x02" + body + "."; }

TEST(PickleText, WhatTorchWrites) {
  using std::string_literals::operator""s;
  EXPECT_EQ(json_of_pickle(pickled("}q\x00(X\x01\x00\x00\x00"
                                   "aq\x01]q\x02(K\x01M\x00\x01J\xff\xff\xff\xff"
                                   "e"
                                   "X\x01\x00\x00\x00"
                                   "bq\x03\x88\x89\x86q\x04u"s)),
            R"({"a":[1,256,-1],"b":[true,false]})");
  EXPECT_EQ(json_of_pickle(pickled("X\x01\x00\x00\x00"
                                   "aq\x00h\x00\x86"s)),
            R"(["a","a"])");
  EXPECT_EQ(json_of_pickle(pickled("G\x3f\xf8\x00\x00\x00\x00\x00\x00"s)), "1.5");
  EXPECT_EQ(json_of_pickle(pickled("\x8a\x02\xff\xff"s)), "-1");
  EXPECT_EQ(json_of_pickle(pickled("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x40"s)), "4611686018427387904");
}

TEST(PickleText, WhatIsTornOrWouldCallSomething) {
  using std::string_literals::operator""s;
  EXPECT_FALSE(json_of_pickle(""));
  EXPECT_FALSE(json_of_pickle("\x80\x02}q"));
  EXPECT_FALSE(json_of_pickle(pickled("cos\nsystem\n")));
  EXPECT_FALSE(json_of_pickle(pickled("e")));
  EXPECT_FALSE(json_of_pickle(pickled("u")));
  EXPECT_FALSE(json_of_pickle(pickled("(K\x01")));
  EXPECT_FALSE(
      json_of_pickle(pickled("}K\x01"
                             "a")));
  EXPECT_FALSE(json_of_pickle(pickled("\x8a\xff")));
  EXPECT_FALSE(
      json_of_pickle(pickled("X\xff\xff\xff\xff"
                             "a"s)));
}

// A map or list that is used again would double the size with every use.
TEST(PickleText, NothingGrowsWithoutAnEnd) {
  std::string text = "]q";
  text += '\0';
  for (int i = 0; i < 64; ++i) text += std::string("h\0h\0\x86q\0", 7);
  EXPECT_FALSE(json_of_pickle(pickled(text)));
  EXPECT_FALSE(json_of_pickle(pickled("K\x01" + std::string(100, '\x85'))));
}

// Torch refers to the same stack frame again for several collectives.
TEST(PickleText, AMapThatIsReferredToAgainIsNullThere) {
  using std::string_literals::operator""s;
  EXPECT_EQ(json_of_pickle(pickled("](}q\x07h\x07K\x05"
                                   "e"s)),
            "[{},null,5]");
}

// Each byte creates a value that takes dozens of bytes.
TEST(PickleText, SmallValuesCountToo) {
  const std::string lists(6 << 20, ']');
  EXPECT_FALSE(json_of_pickle(pickled("](" + lists + "e")));
  EXPECT_FALSE(json_of_pickle(pickled("](" + std::string(6 << 20, 'N') + "e")));
  EXPECT_FALSE(json_of_pickle(pickled(std::string(2000, '(') + "N" + std::string(2000, 't'))));
  EXPECT_TRUE(json_of_pickle(pickled("](" + std::string(10000, 'N') + "e")));
}

constexpr const char* kTwoRanks = R"({"nccl_version":"2.30.7","communicators":[{"size":4,"ranks":[
  {"rank":0,"host":"10.0.0.1","pid":70,"status":{"async_error":0},"collective_counts":{"Broadcast":3,"AllReduce":17}},
  {"rank":1,"host":"10.0.0.1","pid":71,"status":{"async_error":0},"collective_counts":{"Broadcast":3,"AllReduce":17}},
  {"rank":3,"host":"10.0.0.2","pid":90,"status":{"async_error":3},"collective_counts":{"Broadcast":3,"AllReduce":16}}],
 "missing_ranks":[{"rank":2,"host":"10.0.0.2","pid":89,"status":{"unresponsive":true,"considered_dead":true}}]}]})";

TEST(RasAnswer, WhatIsNotAsItShouldBe) {
  const RasAnswer answer = read_ras_json(kTwoRanks);
  EXPECT_EQ(answer.processes, (std::set<int64_t>{70, 71, 89, 90}));
  EXPECT_EQ(answer.sentences,
            (std::vector<std::string>{
                "NCCL does not reach rank 2 of 4 (process 89 on 10.0.0.2), which it considers dead",
                "NCCL counts: other ranks have launched 17 AllReduce, but rank 3 of 4 (process 90 on 10.0.0.2) 16",
                "NCCL reports error 3 for rank 3 of 4 (process 90 on 10.0.0.2)"}));
}

// Without a limit, each name would be looked up for each rank.
TEST(RasAnswer, OfManyKindsOnlySomeAreLookedAt) {
  const auto status = [](const std::string& behind) {
    std::string counts;
    for (int i = 1000; i < 1100; ++i) counts += (counts.empty() ? "\"" : ",\"") + std::to_string(i) + "\":2";
    return R"({"communicators":[{"ranks":[{"collective_counts":{)" + counts + R"(}},{"collective_counts":{")" + behind +
           R"(":1}}]}]})";
  };
  EXPECT_EQ(read_ras_json(status("1001")).sentences.size(), 1u);
  EXPECT_TRUE(read_ras_json(status("1099")).sentences.empty());
}

TEST(RasAnswer, Nonsense) {
  EXPECT_TRUE(read_ras_json("").sentences.empty());
  EXPECT_TRUE(read_ras_json(R"({"communicators":[1,{"ranks":[2,{"collective_counts":{"a":"b"}}],"missing_ranks":{}}]})")
                  .sentences.empty());
}

TEST(RasAnswer, TextForPeople) {
  const RasAnswer answer = read_ras_text(
      "Job summary\n===========\n\n  Nodes\n\nErrors\n======\n\nINCOMPLETE\n  Missing communicator data from 1 job "
      "process\n"
      "  Process 34 on node 10.0.0.2 managing GPU 5\n\nWarnings\n========\n\n#0-0 (cf26) MISMATCH\n  Ranks have "
      "different counts\n");
  EXPECT_EQ(
      answer.sentences,
      (std::vector<std::string>{
          "NCCL: INCOMPLETE: Missing communicator data from 1 job process, Process 34 on node 10.0.0.2 managing GPU 5",
          "NCCL: #0-0 (cf26) MISMATCH: Ranks have different counts"}));
  EXPECT_TRUE(read_ras_text("Job summary\nall well\n").sentences.empty());
}

}  // namespace
}  // namespace muster
