// SPDX-License-Identifier: Apache-2.0
#include "launcher/exec/exec_viewer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "core/port/line_channel_test.h"
#include "core/system/asio/asio_loop.h"
#include "core/system/asio/run_until.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    reads = UniqueFd(ends[0]);
    writes = UniqueFd(ends[1]);
  }
  UniqueFd reads;
  UniqueFd writes;
};

class Viewer : public testing::Test {
 protected:
  Viewer() {
    for (const Pipe* pipe : {&out, &err}) fcntl(pipe->reads.get(), F_SETFL, O_NONBLOCK);
  }
  void open() {
    viewer.emplace(loop, std::make_unique<LineChannel>(line),
                   ViewerEnds{in.reads.get(), out.writes.get(), err.writes.get()},
                   ExecViewer::Handlers{.typed = [](std::string_view bytes) { return std::string(bytes); },
                                        .over = [this](const ExecEnd& end) { ends.push_back(end); },
                                        .broken = [this](int error) { broken = error; }});
  }
  // The number of input bytes that were sent.
  size_t sent_bytes() const {
    size_t sum = 0;
    for (const ExecFrame& frame : line.seen) {
      if (const auto* bytes = std::get_if<ExecBytes>(&frame.part)) sum += bytes->bytes.size();
    }
    return sum;
  }
  bool sent_end() const {
    const auto* last = line.seen.empty() ? nullptr : std::get_if<ExecBytes>(&line.seen.back().part);
    return last != nullptr && last->end;
  }
  // The output that is available, at most `bytes` bytes.
  std::string printed(const UniqueFd& from, size_t bytes) {
    std::string text(bytes, '\0');
    const ssize_t got = read(from.get(), text.data(), text.size());
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return text;
  }

  AsioLoop loop;
  Line line;
  Pipe in, out, err;
  std::vector<ExecEnd> ends;
  int broken = 0;
  std::optional<ExecViewer> viewer;
};

TEST_F(Viewer, WhatComesInIsSentAndItsEndToo) {
  open();
  ASSERT_EQ(write(in.writes.get(), "hello", 5), 5);
  ASSERT_TRUE(run_until(loop, [&] { return sent_bytes() == 5; }));
  in.writes.reset();
  EXPECT_TRUE(run_until(loop, [&] { return sent_end(); }));
}

TEST_F(Viewer, NoMoreIsSentThanTheWindowUntilItIsTaken) {
  open();
  std::thread writer([&] {
    const std::string many(kExecWindow * 2, 'x');
    EXPECT_EQ(write(in.writes.get(), many.data(), many.size()), static_cast<ssize_t>(many.size()));
    in.writes.reset();
  });
  ASSERT_TRUE(run_until(loop, [&] { return sent_bytes() == kExecWindow; }));
  line.say({0, ExecTaken{ExecStream::in, 1000}});
  ASSERT_TRUE(run_until(loop, [&] { return sent_bytes() == kExecWindow + 1000; }));
  line.say({0, ExecTaken{ExecStream::in, kExecWindow}});
  EXPECT_TRUE(run_until(loop, [&] { return sent_end(); }));
  writer.join();
}

TEST_F(Viewer, WhatIsPrintedIsWrittenAndTakenAndOnlyThenItIsOver) {
  open();
  const size_t many = kExecWindow;
  line.say({0, ExecBytes{ExecStream::out, std::string(many, 'y'), false}});
  line.say({0, ExecBytes{ExecStream::err, "oh", false}});
  line.say({0, ExecEnd{}});
  std::string errors;
  ASSERT_TRUE(run_until(loop, [&] { return (errors += printed(err.reads, 2)) == "oh"; }));
  EXPECT_TRUE(ends.empty()) << "a pipe of 64 KiB cannot hold it";
  size_t read = 0;
  ASSERT_TRUE(run_until(loop, [&] {
    if (read < many) read += printed(out.reads, 4096).size();
    return !ends.empty();
  }));
  EXPECT_EQ(ends.size(), 1u);
}

TEST_F(Viewer, ALostControllerIsAnEndToo) {
  open();
  line.close(Status(Code::unavailable, "gone"));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].why, "gone");
  EXPECT_FALSE(ends[0].exit);
}

TEST_F(Viewer, AReaderThatLeftIsTold) {
  open();
  const auto before = signal(SIGPIPE, SIG_IGN);
  out.reads.reset();
  line.say({0, ExecBytes{ExecStream::out, "x", false}});
  EXPECT_TRUE(run_until(loop, [&] { return broken == EPIPE; }));
  signal(SIGPIPE, before);
}

TEST_F(Viewer, OthersDescriptorsStayBlocking) {
  open();
  ASSERT_EQ(write(in.writes.get(), "x", 1), 1);
  ASSERT_TRUE(run_until(loop, [&] { return sent_bytes() == 1; }));
  for (const UniqueFd* fd : {&in.reads, &out.writes}) EXPECT_EQ(fcntl(fd->get(), F_GETFL) & O_NONBLOCK, 0);
}

}  // namespace
}  // namespace muster
