// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/python_stack.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "core/system/linux/examine/running_python.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// A program named `python3.9` that is not Python stands in for an interpreter whose layout is not known.
class PythonStackTest : public testing::Test {
 protected:
  PythonStackTest() {
    char name[] = "/tmp/python-stack-XXXXXX";
    folder_ = mkdtemp(name);
    fs::copy_file("/bin/sleep", folder_ / "python3.9");
    fs::create_directory(folder_ / "bin");
  }
  ~PythonStackTest() override {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    fs::remove_all(folder_);
  }

  void write_py_spy(const std::string& text) {
    const fs::path path = folder_ / "bin" / "py-spy";
    std::ofstream(path) << "#!/bin/sh\n" << text;
    fs::permissions(path, fs::perms::owner_all);
  }

  PythonStack stack() {
    const std::string program = folder_ / "python3.9";
    std::string path = "PATH=" + (folder_ / "bin").string();
    const char* argv[] = {"python3.9", "1000", nullptr};
    char* environment[] = {path.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), nullptr, nullptr, const_cast<char**>(argv), environment), 0);
    // posix_spawn() returns when the new program has its memory; its environment is readable a moment later.
    for (const auto file = "/proc/" + std::to_string(pid_) + "/environ"; std::ifstream(file).peek() == EOF;) {
      std::this_thread::yield();
    }
    return python_stack(pid_);
  }

  fs::path folder_;
  pid_t pid_ = 0;
};

TEST(PythonStack, OfSeveralThreads_BeginsWithTheMainThread) {
  const PythonStack stack = python_stack({{13, {"wait (queue.py:3)", "<module> (loader.py:9)"}, ""},
                                          {12, {"step (train.py:41)", "<module> (train.py:50)"}, ""}});
  EXPECT_EQ(stack.innermost, "step (train.py:41)");
  EXPECT_EQ(stack.thread, 12);
  EXPECT_EQ(stack.text,
            "  Python thread 12\n    step (train.py:41)\n    <module> (train.py:50)\n"
            "  Python thread 13\n    wait (queue.py:3)\n    <module> (loader.py:9)\n");
}

TEST_F(PythonStackTest, StandInForAnUnknownRelease_NoPySpy_SaysHowToInstallIt) {
  EXPECT_EQ(stack().text,
            "  Python: muster cannot read the functions of Python 3.9 by itself, and py-spy is not installed. Install "
            "it on this "
            "host: pip install py-spy\n");
}

TEST_F(PythonStackTest, StandInForAnUnknownRelease_StandInForPySpyAnswers_FramesAreShown) {
  write_py_spy(
      "[ \"$1 $2 $3 $4\" = 'dump --nonblocking --json --pid' ] || exit 2\n"
      "echo '[{\"thread_name\": \"MainThread\", \"os_thread_id\": '$5', \"frames\": [{\"name\": \"step\", "
      "\"short_filename\": "
      "\"train.py\", \"line\": 41}]}]'\n");
  const PythonStack found = stack();
  EXPECT_EQ(found.innermost, "step (train.py:41)");
  EXPECT_EQ(found.text, "  Python thread " + std::to_string(pid_) + " MainThread\n    step (train.py:41)\n");
}

TEST_F(PythonStackTest, StandInForAnUnknownRelease_PySpyFails_SaysSo) {
  write_py_spy("exit 1\n");
  EXPECT_EQ(stack().text,
            "  Python: " + (folder_ / "bin/py-spy").string() +
                " cannot read the functions of Python 3.9. A newer version may: pip install --upgrade py-spy\n");
}

TEST(PythonStack, Process_IsNoPython_IsEmpty) { EXPECT_TRUE(python_stack(getpid()).text.empty()); }

TEST(PythonStack, Python_IsRunning_InnermostFrameOfTheMainThreadIsFound) {
  RunningPython python("python3",
                       "import os, sys\nsys.version_info >= (3, 10) and os.write(1, b'm') and os.read(0, 1)\n");
  ASSERT_TRUE(python.says("m")) << "install Python 3.10 or newer as python3";
  const PythonStack found = python_stack(python.pid());
  EXPECT_EQ(found.innermost, "<module> (<string>:2)");
  EXPECT_EQ(found.text, "  Python thread " + std::to_string(python.pid()) + "\n    <module> (<string>:2)\n");
}

TEST(PythonStack, Threads_WithoutNumber_AreShownWithoutIt) {
  const PythonStack found = python_stack({{0, {"run (a.py:1)"}, ""}, {7, {"step\x1b (b.py:2)"}, ""}});
  EXPECT_EQ(found.innermost, "step\\x1b (b.py:2)");
  EXPECT_EQ(found.text, "  Python thread 7\n    step\\x1b (b.py:2)\n  Python thread\n    run (a.py:1)\n");
}

}  // namespace
}  // namespace muster
