// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/flight_recorder.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "core/base/unix_socket.h"
#include "core/system/linux/examine/bounded_talk.h"

namespace muster {
namespace {

constexpr const char* kRecord =
    R"({"version":"2.10","entries":[{"process_group":["0","default_pg"],"profiling_name":"gloo:all_reduce","collective_seq_id":5,)"
    R"("state":"scheduled","retired":false,"is_p2p":false}]})";

// A pickle of {"version": "2.10", "entries": [{"collective_seq_id": 7, "state": "started", "profiling_name": "nccl:broadcast",
// "process_group": ("0", "default_pg")}]}
std::string text_of(const std::string& text) {
  return std::string("X") + static_cast<char>(text.size()) + std::string(3, '\0') + text;
}
std::string pickle() {
  const std::string group = text_of("0") + text_of("default_pg") + "\x86";
  const std::string entry = "}(" + text_of("collective_seq_id") + "K\x07" + text_of("state") + text_of("started") +
                            text_of("profiling_name") + text_of("nccl:broadcast") + text_of("process_group") + group +
                            "u";
  return "\x80\x02}(" + text_of("version") + text_of("2.10") + text_of("entries") + "]" + entry + "au.";
}

// Stands in for a rank of torch: without a GPU there is no NCCL process group. It answers as torch's documentation says.
class FlightRecorderTest : public testing::Test {
 protected:
  FlightRecorderTest() {
    char name[] = "/tmp/flight-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~FlightRecorderTest() override {
    if (stand_in_.joinable()) stand_in_.join();
    std::filesystem::remove_all(folder_);
  }

  RecordedProcess rank(const std::map<std::string, std::string>& more) const {
    std::map<std::string, std::string> environment = more;
    environment["RANK"] = "3";
    return {getpid(), environment};
  }

  // Reads the pipe as torch does, and answers once.
  RecordedProcess rank_with_pipe(const std::string& answer) {
    const std::string pipe = folder_ + "/ask-3.pipe";
    EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    UniqueFd reads(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    EXPECT_TRUE(reads.valid());
    stand_in_ = std::thread([reads = std::move(reads), answer, file = folder_ + "/flight-3"] {
      const TalkLimits limits{std::chrono::steady_clock::now() + std::chrono::seconds(10), 1};
      if (!read_to_end(reads.get(), limits).empty()) std::ofstream(file, std::ios::binary) << answer;
    });
    return rank({{"TORCH_NCCL_DEBUG_INFO_PIPE_FILE", folder_ + "/ask-"},
                 {"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", folder_ + "/flight-"}});
  }

  // Answers two requests with `answer`.
  RecordedProcess rank_with_server(const std::string& answer) {
    const std::string path = folder_ + "/server";
    UniqueFd listens(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(bind_unix(listens.get(), path), 0);
    EXPECT_EQ(listen(listens.get(), 4), 0);
    stand_in_ = std::thread([this, answer, listens = std::move(listens)] {
      const TalkLimits limits{std::chrono::steady_clock::now() + std::chrono::seconds(10), 4096};
      const UniqueFd client(accept4(listens.get(), nullptr, nullptr, SOCK_CLOEXEC));
      asked_ = read_through(client.get(), "\r\n\r\n", limits);
      write_whole(client.get(), "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + answer, limits);
    });
    return rank({{"TORCH_WORKER_SERVER_SOCKET", path}});
  }

  std::string folder_;
  std::string asked_;
  std::thread stand_in_;
};

TEST_F(FlightRecorderTest, ThePipeIsAskedAndTheFileRead) {
  const FlightRecorder recorder(rank_with_pipe(pickle()));
  const auto stands = recorder.answer();
  ASSERT_TRUE(stands);
  EXPECT_EQ(*stands, (std::vector<CollectiveProgress>{{"default_pg", "broadcast", "", 7, true}}));
}

// An answer that came while other ranks were examined.
TEST_F(FlightRecorderTest, WhatCameByThePipeIsTakenHoweverLate) {
  const FlightRecorder recorder(rank_with_pipe(pickle()), std::chrono::milliseconds(0));
  stand_in_.join();
  const auto stands = recorder.answer();
  ASSERT_TRUE(stands);
  EXPECT_EQ(stands->front().sequence, 7u);
}

TEST_F(FlightRecorderTest, TheServerIsAskedHoweverLate) {
  EXPECT_TRUE(FlightRecorder(rank_with_server(kRecord), std::chrono::milliseconds(0)).answer());
}

TEST_F(FlightRecorderTest, AnOlderDumpIsNotTaken) {
  std::ofstream(folder_ + "/flight-3", std::ios::binary) << pickle();
  const FlightRecorder recorder(rank({{"TORCH_NCCL_DEBUG_INFO_PIPE_FILE", folder_ + "/ask-"},
                                      {"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", folder_ + "/flight-"}}));
  EXPECT_FALSE(recorder.answer());
}

TEST_F(FlightRecorderTest, TheServerIsAsked) {
  const FlightRecorder recorder(rank_with_server(kRecord));
  const auto stands = recorder.answer();
  stand_in_.join();
  EXPECT_TRUE(asked_.starts_with("POST /handler/fr_trace_json HTTP/1.1\r\n")) << asked_;
  ASSERT_TRUE(stands);
  EXPECT_EQ(*stands, (std::vector<CollectiveProgress>{{"default_pg", "all_reduce", "", 5, true}}));
}

TEST_F(FlightRecorderTest, WithoutItsVariablesNobodyIsAsked) { EXPECT_FALSE(FlightRecorder(rank({})).answer()); }

}  // namespace
}  // namespace muster
