// SPDX-License-Identifier: Apache-2.0
// A peer dies: every other rank gets an error that names it, long before the deadline, in any call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <atomic>

#include "core/worker/collective/communicator.h"
#include "core/worker/collective/testing/process_meeting.h"

#ifdef __SANITIZE_THREAD__
// Debian's libgloo is not instrumented, so ThreadSanitizer does not see its atomics and reports races. The second line is for reports
// that lack the stack in libgloo: a buffer is freed after Gloo's thread has given it back, which an atomic counter of Gloo tells.
extern "C" const char* __tsan_default_suppressions() {
  return "race:libgloo.so\nrace:std::default_delete<gloo::transport::UnboundBuffer>\n";
}
#endif

namespace muster::worker {
namespace {

using testing::Child;
using testing::each_rank;
using testing::Hall;
using ::testing::HasSubstr;
using testing::ThreadMeeting;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const CommunicatorOptions gloo_world{.name = "world", .backend = Backend::gloo, .timeout = 60s};

// Calls all_reduce until it fails; counts the calls in `done`.
Status reduce_forever(Communicator& all, size_t count, std::atomic<uint32_t>& done) {
  std::vector<float> values(count, 1);
  while (true) {
    if (Status status = all.all_reduce(values.data(), values.data(), count, Type::float32, Reduce::max); !status.ok())
      return status;
    ++done;
  }
}

struct Story {
  uint32_t size;
  size_t count;
  uint32_t after;  // number of collectives before the kill
  bool told;       // the attempt reports which rank died
};

// Rank 1 is a process that is killed during all_reduce calls; the others are threads.
void kill_one(const Story& story) {
  Hall hall(story.size);
  Child child(hall, 1, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, gloo_world);
    std::atomic<uint32_t> done = 0;
    if (all.ok()) static_cast<void>(reduce_forever(**all, story.count, done));
  });
  child.serve();
  std::vector<Status> statuses(story.size);
  std::vector<Clock::time_point> ends(story.size);
  std::atomic<uint32_t> done = 0;
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < story.size; ++rank) {
    if (rank == 1) continue;
    ranks.emplace_back([&, rank] {
      ThreadMeeting meeting(hall, rank);
      auto all = Communicator::open(meeting, gloo_world);
      if (all.ok()) {
        statuses[rank] = reduce_forever(**all, story.count, done);
        ends[rank] = Clock::now();
        done += 1'000'000;  // ends the wait below; the count is not used any more
      } else {
        statuses[rank] = all.status();
        done += 1'000'000;
      }
    });
  }
  while (done < story.after * (story.size - 1)) std::this_thread::yield();
  const auto killed = Clock::now();
  child.kill();
  if (story.told) hall.break_up("rank 1 on node-a was killed by SIGKILL");
  for (std::thread& rank : ranks) rank.join();
  for (uint32_t rank = 0; rank < story.size; ++rank) {
    if (rank == 1) continue;
    EXPECT_EQ(statuses[rank].code(), Code::aborted) << statuses[rank].message();
    EXPECT_THAT(statuses[rank].message(),
                HasSubstr(story.told ? "rank 1 on node-a was killed by SIGKILL" : "rank 1 closed its connection"));
    EXPECT_LT(ends[rank] - killed, 30s) << "must fail before the deadline";
  }
}

class Death : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(MUSTER_HAS_GLOO) << "install libgloo-dev, and configure the build again"; }
};

TEST_F(Death, IsNamedByTheAttempt) { kill_one({4, 1000, 20, true}); }
TEST_F(Death, OfALargeCollective) { kill_one({3, 4'000'000, 2, true}); }
TEST_F(Death, IsNamedByTheConnectionWhenTheAttemptSaysNothing) { kill_one({4, 100'000, 5, false}); }

TEST_F(Death, AtAnyMoment) {
  for (uint32_t turn = 0; turn < 100; ++turn) {
    SCOPED_TRACE(turn);
    kill_one({2 + turn % 3, turn % 4 == 3 ? size_t{300'000} : size_t{1} << (turn % 13), turn % 7, true});
    if (HasFailure()) return;
  }
}

// Ends the attempt on the meeting's thread during calls, many times: for the sanitizers.
TEST_F(Death, OfTheAttemptWhileAllAreBusy) {
  for (uint32_t turn = 0; turn < 100; ++turn) {
    SCOPED_TRACE(turn);
    Hall hall(2 + turn % 3);
    std::atomic<uint32_t> done = 0, open = 0;
    std::thread breaker([&] {
      while (open < hall.size() || done < turn % 11) std::this_thread::yield();
      hall.break_up("somebody stopped the job");
    });
    each_rank(hall, [&](Meeting& meeting) {
      auto all = Communicator::open(meeting, gloo_world);
      ++open;
      ASSERT_TRUE(all.ok()) << all.status().message();
      const Status status = reduce_forever(**all, turn % 2 == 0 ? 100 : 500'000, done);
      EXPECT_EQ(status, Status(Code::aborted, "`world` cannot continue: somebody stopped the job")) << status.message();
    });
    breaker.join();
    if (HasFailure()) return;
  }
}

TEST_F(Death, WhileOpening) {
  for (uint32_t turn = 0; turn < 20; ++turn) {
    Hall hall(3);
    std::atomic<bool> broken = false;
    std::vector<std::thread> ranks;
    for (const uint32_t rank : {0, 1}) {
      ranks.emplace_back([&, rank] {
        ThreadMeeting meeting(hall, rank);
        auto all = Communicator::open(meeting, gloo_world);
        EXPECT_TRUE(broken);
        ASSERT_FALSE(all.ok());
        EXPECT_THAT(all.status().message(), HasSubstr("rank 2 was killed"));
      });
    }
    EXPECT_TRUE(hall.await_messages(turn % 7));
    broken = true;
    hall.break_up("rank 2 was killed");
    for (std::thread& rank : ranks) rank.join();
  }
}

// The peer connects and its process ends before Gloo's thread has accepted the connection. The kernel then closes the
// connection as close(2) does.
TEST_F(Death, PeerGoneBeforeItsConnectionIsAccepted_LeavesThisProcessRunning) {
  for (int turn = 0; turn < 50; ++turn) {
    auto made = GlooTransport::make(0, 2, "127.0.0.1", 60, nullptr);
    ASSERT_TRUE(made.ok()) << made.status().message();
    sockaddr_in address{};
    const std::string card = (*made)->card();
    std::memcpy(&address, card.data(), sizeof address);
    std::memcpy(&address.sin_port, card.data() + card.size() - 2, 2);  // rank 1's
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(socket);
  }
}

// The attempt ends while ranks connect to each other. Each rank must give up without ending another one.
TEST_F(Death, AttemptBrokenWhileConnecting_FailsEveryRankAndEndsNone) {
  for (int turn = 0; turn < 60; ++turn) {
    Hall hall(3);
    std::thread breaker([&] {
      EXPECT_TRUE(hall.await_messages(3));
      for (int pause = 0; pause < turn * turn; ++pause) std::this_thread::yield();
      hall.break_up("rank 2 was killed");
    });
    each_rank(hall, [&](Meeting& meeting) {
      const auto all = Communicator::open(meeting, gloo_world);
      if (!all.ok()) {
        EXPECT_THAT(all.status().message(), HasSubstr("rank 2 was killed"));
      }
    });
    breaker.join();
    if (HasFailure()) return;
  }
}

// A peer that enters the fence and then never connects.
TEST_F(Death, BetweenAddressAndConnection) {
  Hall hall(2);
  Child child(hall, 1, [&](Meeting& meeting) {
    Roster roster{"world", "communicator/world#1", {0, 1}, 1};
    auto made = GlooTransport::make(1, 2, "127.0.0.1", 60, nullptr);
    if (!made.ok()) return;
    static_cast<void>(
        meeting.fence(roster.prefix + "/offer", encode(Offer{Backend::gloo, "", "", (*made)->card()}), {0, 1}, 60s));
    static_cast<void>(meeting.set("fenced", "yes"));
    static_cast<void>(meeting.wait("never", 60s));
  });
  child.serve();
  std::thread breaker([&] {
    EXPECT_TRUE(hall.wait("fenced", 30s).ok());
    child.kill();
    hall.break_up("rank 1 was killed by SIGKILL");
  });
  ThreadMeeting meeting(hall, 0);
  auto all = Communicator::open(meeting, gloo_world);
  // The rank may have connected to the peer's listening socket before the peer was killed.
  const Status status = all.ok() ? (*all)->barrier() : all.status();
  EXPECT_EQ(status.code(), Code::aborted);
  EXPECT_THAT(status.message(), HasSubstr("rank 1 was killed by SIGKILL"));
  breaker.join();
}

}  // namespace
}  // namespace muster::worker
