// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/py_spy.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(PySpy, Answer_TwoThreads_MainThreadIsLast) {
  const auto threads = parse_py_spy(R"([
    {"pid": 7, "thread_id": 140, "thread_name": "MainThread", "os_thread_id": 7, "active": true, "owns_gil": false,
     "frames": [{"name": "step", "filename": "/x/train.py", "module": null, "short_filename": "train.py", "line": 41, "locals": null},
                {"name": "<module>", "filename": "/x/train.py", "module": null, "short_filename": null, "line": 0, "locals": null}]},
    {"pid": 7, "thread_id": 150, "thread_name": null, "os_thread_id": null, "active": false, "owns_gil": false, "frames": []}])");
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[0].number, 0);
  EXPECT_TRUE(threads[0].frames.empty());
  EXPECT_EQ(threads[1].number, 7);
  EXPECT_EQ(threads[1].name, "MainThread");
  EXPECT_EQ(threads[1].frames, (std::vector<std::string>{"step (train.py:41)", "<module> (/x/train.py)"}));
}

TEST(PySpy, Answer_IsGarbage_NothingIsRead) {
  for (const char* garbage : {"", "{", "7", "{}", "Error: Permission Denied"})
    EXPECT_TRUE(parse_py_spy(garbage).empty());
  const auto threads = parse_py_spy(R"([1, {"frames": 7, "thread_name": 8}, {"frames": [null, {"line": "x"}]}])");
  ASSERT_EQ(threads.size(), 3u);
  EXPECT_EQ(threads[2].frames, (std::vector<std::string>{" ()", " ()"}));
}

TEST(PySpy, Answer_TooManyThreadsAndFrames_AreCutOff) {
  std::string frames = "{}";
  for (size_t count = 0; count < 100; ++count) frames += ",{}";
  std::string answer = "[{\"frames\": [" + frames + "]}";
  for (size_t count = 0; count < 100; ++count) answer += ",{}";
  const auto threads = parse_py_spy(answer + "]");
  ASSERT_EQ(threads.size(), 32u);
  EXPECT_EQ(threads[0].frames.size(), 64u);
}

}  // namespace
}  // namespace muster
