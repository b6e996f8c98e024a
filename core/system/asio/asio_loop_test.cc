// SPDX-License-Identifier: Apache-2.0
#include "core/system/asio/asio_loop.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "core/system/asio/run_until.h"

namespace muster {
namespace {

using std::chrono::milliseconds;

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void put(char byte) { EXPECT_EQ(write(ends[1], &byte, 1), 1); }
  char take() {
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    return byte;
  }
  int ends[2] = {-1, -1};
};

TEST(AsioLoop, WorkRunsInTheOrderOfPosting) {
  AsioLoop loop;
  std::string order;
  loop.post([&] {
    order += 'a';
    loop.post([&] { order += 'c'; });
  });
  loop.post([&] { order += 'b'; });
  EXPECT_TRUE(run_until(loop, [&] { return order.size() == 3; }));
  EXPECT_EQ(order, "abc");
}

TEST(AsioLoop, AnyThreadMayPost) {
  AsioLoop loop;
  int count = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) loop.post([&] { ++count; });
    });
  }
  EXPECT_TRUE(run_until(loop, [&] { return count == 4000; }));
  for (std::thread& thread : threads) thread.join();
}

TEST(AsioLoop, TimersFireInOrderOfTimeThenOfAsking) {
  AsioLoop loop;
  const TimePoint start = loop.now();
  std::string order;
  loop.at(start + milliseconds(20), [&] { order += 'c'; });
  loop.at(start + milliseconds(10), [&] { order += 'a'; });
  loop.at(start + milliseconds(10), [&] { order += 'b'; });
  EXPECT_TRUE(run_until(loop, [&] { return order.size() == 3; }));
  EXPECT_EQ(order, "abc");
  EXPECT_GE(loop.now(), start + milliseconds(20));
}

TEST(AsioLoop, APastTimerRunsInTheNextTurnAndACancelledOneDoesNot) {
  AsioLoop loop;
  int ran = 0;
  const TimerId cancelled = loop.at(loop.now() - std::chrono::hours(1), [&] { ran += 100; });
  loop.at(loop.now() - std::chrono::hours(1), [&] { ++ran; });
  EXPECT_EQ(ran, 0);
  loop.cancel(cancelled);
  loop.cancel(cancelled);
  loop.cancel(12345);
  EXPECT_TRUE(run_until(loop, [&] { return ran > 0; }));
  EXPECT_EQ(ran, 1);
}

TEST(AsioLoop, WorkThatGotNoTurnMayTakeTimersAlong) {
  int cancelled = 0;
  {
    AsioLoop loop;
    const TimerId timer = loop.at(loop.now() + std::chrono::hours(1), [&] { ++cancelled; });
    const auto cancel = [&](AsioLoop* of) {
      of->cancel(timer);
      cancelled += of->at(of->now(), [] {}) != timer ? 1 : 0;
    };
    loop.post([kept = std::shared_ptr<AsioLoop>(&loop, cancel)] {});
  }
  EXPECT_EQ(cancelled, 1);
}

TEST(AsioLoop, TimeStandsStillWithinATurn) {
  AsioLoop loop;
  TimePoint first, last;
  const ProcessClock clock(ClockSource::monotonic);
  loop.post([&] {
    first = loop.now();
    const TimePoint until = clock.read() + milliseconds(5);
    while (clock.read() < until) continue;
    last = loop.now();
  });
  EXPECT_TRUE(run_until(loop, [&] { return last != TimePoint(); }));
  EXPECT_EQ(first, last);
  TimePoint next;
  loop.post([&] { next = loop.now(); });
  EXPECT_TRUE(run_until(loop, [&] { return next != TimePoint(); }));
  EXPECT_GE(next, first + milliseconds(5));
}

TEST(AsioLoop, TheBoottimeClockDrivesTimersToo) {
  AsioLoop loop(ClockSource::boottime);
  bool ran = false;
  loop.at(loop.now() + milliseconds(5), [&] { ran = true; });
  while (!ran && loop.run_one()) continue;
  EXPECT_TRUE(ran);
}

TEST(AsioLoop, AReadableDescriptorIsToldAgainUntilItIsRead) {
  AsioLoop loop;
  Pipe pipe;
  int told = 0;
  auto watch = loop.watch_readable(pipe.ends[0], [&] {
    if (++told == 3) pipe.take();
  });
  pipe.put('x');
  EXPECT_TRUE(run_until(loop, [&] { return told == 3; }));
  EXPECT_FALSE(run_until(
      loop, [&] { return told > 3; }, milliseconds(20)));
  pipe.put('y');
  EXPECT_TRUE(run_until(loop, [&] { return told > 3; }));
}

TEST(AsioLoop, AWatchMayEndInItsOwnHandlerAndLeavesTheDescriptorOpen) {
  AsioLoop loop;
  Pipe pipe;
  std::unique_ptr<LoopWatch> watch;
  watch = loop.watch_readable(pipe.ends[0], [&] { watch.reset(); });
  pipe.put('x');
  EXPECT_TRUE(run_until(loop, [&] { return watch == nullptr; }));
  EXPECT_EQ(pipe.take(), 'x');
}

TEST(AsioLoop, EndOfFileIsReadable) {
  AsioLoop loop;
  Pipe pipe;
  bool told = false;
  auto watch = loop.watch_readable(pipe.ends[0], [&] { told = true; });
  close(pipe.ends[1]);
  pipe.ends[1] = -1;
  EXPECT_TRUE(run_until(loop, [&] { return told; }));
}

TEST(AsioLoop, AWritableDescriptorIsTold) {
  AsioLoop loop;
  Pipe pipe;
  bool told = false;
  auto watch = loop.watch_writable(pipe.ends[1], [&] { told = true; });
  EXPECT_TRUE(run_until(loop, [&] { return told; }));
}

TEST(AsioLoop, SignalsArriveAsTurnsAndAsOftenAsTheyComeApart) {
  AsioLoop loop;
  int first = 0;
  int second = 0;
  loop.on_signal(SIGUSR1, [&] { ++first; });
  auto watch = loop.watch_signal(SIGUSR1, [&] { ++second; });
  raise(SIGUSR1);
  EXPECT_TRUE(run_until(loop, [&] { return first == 1 && second == 1; }));
  watch.reset();
  raise(SIGUSR1);
  EXPECT_TRUE(run_until(loop, [&] { return first == 2; }));
  EXPECT_EQ(second, 1);
}

TEST(AsioLoop, StopEndsRunFromAnotherThread) {
  AsioLoop loop;
  std::thread stopper([&] { loop.stop(); });
  loop.run();
  stopper.join();
}

}  // namespace
}  // namespace muster
