// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of LinuxProcessHost: a loop, a host, a temporary folder, and real processes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/system/asio/run_until.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/linux_process_host.h"

namespace muster {

inline bool is_gone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

// Runs the loop until `done`. For conditions outside the loop: polls every few milliseconds.
template <typename Done>
bool ask_until(AsioLoop& loop, Done done) {
  TimerId timer = 0;
  const std::function<void()> again = [&] { timer = loop.at(loop.now() + std::chrono::milliseconds(2), again); };
  again();
  const bool in_time = run_until(loop, done);
  loop.cancel(timer);
  return in_time;
}

// A Python program whose main thread ends, but not its other one. Before that it creates the file "up".
inline constexpr const char* kWithoutMainThread =
    "import ctypes, platform, signal, threading; "
    "threading.Thread(target=signal.sigwait, args=[[signal.SIGUSR1]]).start(); "
    "print('up', file=open('up', 'w'), flush=True); "
    "ctypes.CDLL(None).syscall({'x86_64': 60}.get(platform.machine(), 93), 0)";

inline bool lacks_main_thread(pid_t pid) {
  const auto main = parse_stat(read_proc_line("/proc/" + std::to_string(pid) + "/stat").value_or(""));
  return main && main->state == 'Z' && main->threads > 1;
}

// A folder that is removed with the test.
class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    char name[] = "/tmp/muster-test-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }

  std::string output(const std::string& file = "out") {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/" + file).rdbuf();
    return text.str();
  }

  std::string folder_;
};

class ProcessHostTest : public FolderTest {
 protected:
  SpawnRequest request(std::vector<std::string> argv) {
    SpawnRequest request;
    request.argv = std::move(argv);
    request.environment = {"PATH=/usr/bin:/bin", "HOME=/"};
    request.workdir = folder_;
    request.stdout_path = folder_ + "/out";
    request.stderr_path = folder_ + "/out";
    return request;
  }
  SpawnRequest shell(const std::string& script) { return request({"sh", "-c", script}); }

  ProcessHandle start(const SpawnRequest& request) {
    auto process = host_.spawn(request, [this](const ExitStatus& status) { ends_.push_back(status); });
    EXPECT_TRUE(process.ok()) << process.status().message();
    return process.ok() ? *process : 0;
  }

  // Runs the process until it ends.
  ExitStatus run(const SpawnRequest& request) {
    const size_t before = ends_.size();
    start(request);
    EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() > before; }));
    return ends_.size() > before ? ends_.back() : ExitStatus{};
  }

  // Waits until the process has written `text` to the file.
  bool wait_for_output(const std::string& text, const std::string& file = "out") {
    return wait_for([&] { return output(file).find(text) != std::string::npos; });
  }

  template <typename Done>
  bool wait_for(Done done) {
    return ask_until(loop_, done);
  }

  uint32_t sweep(const std::set<int64_t>& spared = {}) {
    std::optional<uint32_t> killed;
    host_.sweep(spared, [&](uint32_t count) { killed = count; });
    EXPECT_TRUE(run_until(loop_, [&] { return killed.has_value(); }));
    return killed.value_or(0);
  }

  AsioLoop loop_;
  NullLog log_;
  LinuxProcessHost host_{loop_, log_, Orphans::adopted, std::nullopt};
  std::vector<ExitStatus> ends_;
};

}  // namespace muster
