// SPDX-License-Identifier: Apache-2.0
#include "core/journal/journal_codec.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/journal/job_fold.h"
#include "core/port/job_store.h"

namespace muster {
namespace {

using std::chrono::seconds;

ExitStatus odd_exit(const std::string& detail) {
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.code = -3;
  exit.signal = 11;
  exit.oom = exit.core_dumped = true;
  exit.detail = detail;
  exit.asked = true;
  exit.peak_bytes = UINT64_MAX;
  exit.core_file = "/cores/core 1";
  exit.trace = "Traceback\n  ü";
  exit.service_failed = true;
  return exit;
}

Plan two_ranks() {
  Plan plan;
  plan.nodes = {{0, 0, "node-ä", {0, 1}}};
  for (uint32_t i = 0; i < 2; ++i) {
    PlannedRank rank;
    rank.rank = rank.world_rank = rank.local_rank = i;
    rank.world_size = rank.local_size = 2;
    rank.group_nodes = 1;
    rank.gpus = {{i, "GPU-" + std::to_string(i), "H100", 80ULL << 30, -1}};
    rank.cpus = {4 * i, 4 * i + 1};
    plan.ranks.push_back(rank);
  }
  return plan;
}

Submission submission() {
  Random random(5);
  Submission s;
  s.id = JobId::make(random);
  s.name = "fashion";
  s.spec.name = "fashion";
  s.spec.workdir = "/home/user";
  s.spec.groups.resize(1);
  s.spec.groups[0].workers = {false, 2};
  s.spec.groups[0].command = {"python3", "train.py", "--name=ü \"quoted\"\n"};
  s.spec.restarts.limit = 3;
  s.plan = two_ranks();
  s.seed = UINT64_MAX;
  s.origin = "job.yaml";
  s.manifest = R"({"kind":"TrainJob"})";
  s.code_commit = "abc+dirty";
  s.submit_key = "key";
  s.standalone = true;
  return s;
}

job::Reported report(const std::string& detail = "RuntimeError: ü at train.py:41") {
  job::RankFact running;
  running.phase = RankPhase::running;
  job::RankFact exited;
  exited.index = 1;
  exited.phase = RankPhase::exited;
  exited.exit = odd_exit(detail);
  exited.ended = from_unix_nanos(1'700'000'000'123'456'789);
  return {0, UINT64_MAX, UINT32_MAX, true, {running, exited}};
}

// A job has at most 100,000 ranks (E1307). One in a thousand is encoded here.
TEST(JournalCodec, ThePlanOfTheLargestJob_FitsIntoALine) {
  constexpr uint32_t kMost = 100'000;
  constexpr uint32_t kPart = 1000;
  Submission s = submission();
  s.plan = {};
  for (uint32_t i = kMost - kMost / kPart; i < kMost; ++i) {
    PlannedRank rank = two_ranks().ranks[0];
    rank.rank = rank.world_rank = rank.node = rank.group_node = i;
    rank.world_size = rank.group_nodes = kMost;
    rank.gpus[0].uuid = "GPU-5f0f6c0e-8d5c-4a39-9a1c-0d8b7b0f3c11";
    rank.gpus[0].name = "NVIDIA H100 80GB HBM3";
    rank.cpus = {120, 121, 122, 123, 124, 125, 126, 127};
    rank.memory_bytes = 1ULL << 40;
    s.plan.ranks.push_back(rank);
    s.plan.nodes.push_back({i, 0, "node-" + std::to_string(i) + ".cluster.example.org", {i}});
  }
  EXPECT_LT(encode_line({TimePoint(), s}).size(), JournalStore::kLongestLine / kPart);
}

// All other members of a report.
job::Reported report_before_ranks() {
  return {1, 2, 3, false, {}, true, "setup failed on a1", true, "GPU-1 is held by mia's job llm, pid 4711", "it broke"};
}

// Two hosts and a place without a host.
Plan elastic_plan() {
  Plan devices;
  devices.membership = ElasticMembership{1, 3, seconds(5)};
  return plan_of_hosts({{"node-a", 2, "learner"}, {"", 0}, {"node-c", 1}}, devices);
}

std::vector<JournalEntry> one_of_each() {
  std::vector<JournalEntry> entries = {
      submission(),
      AttemptEndpoints{2, {{"127.0.0.1", 65535}, {"::1", 1}}},
      AttemptEndpoints{2, {{"127.0.0.1", 1}}, {}, {{{"rank-0", {65535, 1}}, {"tracker", {2}}}, {}}},
      Replanned{two_ranks()},
      Remark{"the code changed; \"quoted\", and ünïcode"},
      CodeNoted{"3f2a9c1+dirty"},
      Arranged{{-5, -1'767'225'600'000'000'000, "nils's command"}, "held by nils's command"},
      ProgressMade{2, {{12, 100, {{"loss", 0.5}}}, seconds(2), {}}},
      job::Event(job::Admitted{}),
      job::Event(job::NodeUp{3, UINT64_MAX, "123@456"}),
      job::Event(job::NodeUp{3, 7, "", "node-d", 8}),
      job::Event(job::NodeUp{3, 7, "", "node-d", 8, Duration(0), "actor"}),
      job::Event(job::NodeUp{3, 7, "", "", 0, seconds(2)}),
      job::Event(job::LinkDown{3}),
      job::Event(job::StopAsked{seconds(1), "stopped on node-b", SIGINT, 1}),
      Replanned{elastic_plan()},
      job::Event(job::PlaceFailed{3, "no route"}),
      job::Event(job::NodeLost{3, "its agent was killed"}),
      job::Event(job::NodeLost{3, "its pod is to end", true}),
      job::Event(report()),
      job::Event(report_before_ranks()),
      job::Event(job::StopAsked{seconds(30), "stopped by the user"}),
      job::Event(job::StopAsked{seconds(30), "stopped by the user", SIGINT}),
      job::Event(job::Judged{2, 1, job::HangKind::stopped, from_unix_nanos(7), "read", "main"}),
      job::Event(job::Judged{2, std::nullopt, job::HangKind::none, {}, "", ""}),
      job::Event(job::Judged{2, std::nullopt, job::HangKind::hung, {}, "", "", 3}),
      UnknownEntry{"from-the-future"}};
  for (const job::Timer timer : {job::Timer::queue, job::Timer::start, job::Timer::run, job::Timer::backoff,
                                 job::Timer::stop, job::Timer::last_call, job::Timer::unreachable}) {
    entries.push_back(job::Event(job::TimerFired{timer}));
  }
  return entries;
}

TEST(JournalCodec, EveryEntryIsReadBackAsItWasWritten) {
  for (const JournalEntry& entry : one_of_each()) {
    const JournalLine line{from_unix_nanos(1'700'000'000'000'000'001), entry};
    const std::string text = encode_line(line);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const Result<JournalLine> read = decode_line(text);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_TRUE(*read == line) << text;
  }
}

TEST(JournalCodec, BytesThatAreNoUtf8AreReplacedAndWhatIsWrittenAgainStays) {
  const std::string bytes("caf\xe9 \xff\x00 end", 11);
  for (const JournalEntry& entry : std::vector<JournalEntry>{
           Remark{bytes}, job::Event(report(bytes)), job::Event(job::NodeLost{0, bytes}),
           job::Event(job::StopAsked{seconds(1), bytes}), job::Event(job::PlaceFailed{0, bytes})}) {
    const Result<JournalLine> once = decode_line(encode_line({TimePoint(), entry}));
    ASSERT_TRUE(once.ok()) << once.status().message();
    EXPECT_EQ(kind_of(once->entry), kind_of(entry));
    const Result<JournalLine> twice = decode_line(encode_line(*once));
    ASSERT_TRUE(twice.ok());
    EXPECT_TRUE(*twice == *once);
  }
}

TEST(JournalCodec, AnUnknownKindIsKeptAsUnknown) {
  const Result<JournalLine> line = decode_line(R"({"t":1,"k":"resized","nodes":3})");
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(std::get<UnknownEntry>(line->entry).kind, "resized");
}

TEST(JournalCodec, WhatIsNoEntryIsDataLoss) {
  for (const char* text :
       {"", "{", "[]", "null", "3", "{}", R"({"t":1})", R"({"k":"admitted"})", R"({"t":"x","k":"admitted"})",
        R"({"t":1,"k":3})", R"({"t":1,"k":"node-up"})", R"({"t":1,"k":"node-up","node":"a"})",
        R"({"t":1,"k":"reported","node":0,"incarnation":1,"attempt":1,"quiet":true,"ranks":3})",
        R"({"t":1,"k":"timer","timer":"lunch"})", R"({"t":1,"k":"submitted","id":"x"})"}) {
    const Result<JournalLine> line = decode_line(text);
    EXPECT_EQ(line.status().code(), Code::data_loss) << text;
  }
}

// A line with some bytes changed, removed, repeated or inserted.
std::string mutated(std::string text, Random& random) {
  for (uint64_t i = 0, times = 1 + random.below(4); i < times && !text.empty(); ++i) {
    const size_t at = random.below(text.size());
    switch (random.below(5)) {
      case 0: text[at] = static_cast<char>(random.below(256)); break;
      case 1: text.erase(at, 1 + random.below(8)); break;
      case 2: text.insert(at, text.substr(random.below(text.size()), random.below(12))); break;
      case 3: text.insert(at, std::to_string(random.next())); break;
      default: text[at] = "0123456789-\"[]{},:e"[random.below(19)]; break;
    }
  }
  return text;
}

TEST(JournalCodec, MutatedLinesNeverThrowNorBreakAReplay) {
  Random random(11);
  std::vector<std::string> lines;
  for (const JournalEntry& entry : one_of_each()) lines.push_back(encode_line({TimePoint(), entry}));
  for (int round = 0; round < 400; ++round) {
    std::vector<std::string> journal;
    for (const std::string& line : lines) {
      journal.push_back(random.below(2) == 0 ? mutated(line, random) : line);
      static_cast<void>(decode_line(journal.back()));
    }
    const Result<JobFold> fold = JobFold::replay(journal);
    if (fold.ok()) static_cast<void>(fold->view());
  }
}

}  // namespace
}  // namespace muster
