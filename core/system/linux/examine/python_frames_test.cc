// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/python_frames.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/system/linux/examine/python_descriptions.h"
#include "core/system/linux/examine/python_image.h"
#include "core/system/linux/examine/running_python.h"

namespace muster {
namespace {

using FrameTexts = std::vector<std::string>;

class PythonStandIn : public testing::TestWithParam<const char*> {
 protected:
  static PythonLayout layout() {
    const std::string name = GetParam();
    if (const PythonRelease release = release_in_path("python" + name); table_layout(release) != nullptr)
      return *table_layout(release);
    const bool is_free_threaded = name.ends_with("t");
    if (name.starts_with("3.13")) return *described_layout(described_by(is_free_threaded ? kWords313t : kWords313));
    if (name.starts_with("3.14")) return *described_layout(described_by(is_free_threaded ? kWords314t : kWords314));
    return *described_layout(described_by(is_free_threaded ? kWords315t : kWords315));
  }

  // Two functions: `step` calls `wait`.
  uint64_t two_frames() {
    const uint64_t step = image_.code(image_.text("Model.step"), image_.text("/x/nn/__init__.py"), 40);
    const uint64_t wait = image_.code(image_.text("wait"), image_.text("/x/train.py"), 7);
    return image_.frame(wait, image_.frame(step, 0));
  }

  std::vector<PythonThread> read() const { return read_python_threads(image_, image_.python()); }

  const PythonLayout layout_ = layout();
  PythonImage image_{layout_};
};

std::string name_of_layout(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase(name, '.');
  return "Python" + name;
}

INSTANTIATE_TEST_SUITE_P(Layouts, PythonStandIn,
                         testing::Values("3.10", "3.11", "3.12", "3.13", "3.13t", "3.14", "3.14t", "3.15", "3.15t"),
                         name_of_layout);

TEST_P(PythonStandIn, ImageInPlaceOfAnInterpreter_TwoThreads_FunctionsAndLinesAreRead) {
  image_.begin_with(image_.thread(12, two_frames(), image_.thread(11, two_frames(), 0)));
  const auto threads = read();
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[0].number, layout_.thread_number ? 12 : 0);
  EXPECT_EQ(threads[1].number, layout_.thread_number ? 11 : 0);
  for (const PythonThread& thread : threads)
    EXPECT_EQ(thread.frames, (FrameTexts{"wait (train.py:9)", "Model.step (nn/__init__.py:42)"}));
}

TEST_P(PythonStandIn, ImageInPlaceOfAnInterpreter_FrameOfNoFunction_IsPassedOver) {
  const uint64_t inner = image_.frame(0, two_frames());
  if (layout_.owner) image_.put<uint8_t>(inner + *layout_.owner, 3);
  image_.begin_with(image_.thread(11, inner, 0));
  ASSERT_EQ(read().size(), 1u);
  EXPECT_EQ(read()[0].frames.size(), 2u);
}

TEST_P(PythonStandIn, ImageInPlaceOfAnInterpreter_NamesThatAreNotAscii_AreShownWithQuestionMarks) {
  const uint64_t code = image_.code(image_.text(u"Größe"), image_.text(std::string(300, 'x') + "y"), 1);
  image_.begin_with(image_.thread(11, image_.frame(code, 0), 0));
  EXPECT_EQ(read()[0].frames, FrameTexts{"Gr??e (" + std::string(199, 'x') + "y:3)"});
}

TEST_P(PythonStandIn, ImageInPlaceOfAnInterpreter_SecondInterpreter_IsReadToo) {
  image_.begin_with(image_.thread(12, two_frames(), 0));
  const uint64_t other = image_.place(8 << 10);
  image_.put(other + layout_.threads, image_.thread(11, two_frames(), 0));
  image_.put(image_.interpreter() + layout_.next_interpreter, other);
  EXPECT_EQ(read().size(), 2u);
}

TEST_P(PythonStandIn, ImageInPlaceOfAnInterpreter_EverythingInCycles_Ends) {
  const uint64_t frame = two_frames();
  image_.put(frame + layout_.previous, frame);
  const uint64_t second = image_.thread(11, frame, 0);
  const uint64_t first = image_.thread(12, frame, second);
  image_.put(second + layout_.next_thread, first);
  image_.put(image_.interpreter() + layout_.next_interpreter, image_.interpreter());
  image_.begin_with(first);
  const auto threads = read();
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[0].frames, FrameTexts{"wait (train.py:9)"});
}

TEST_P(PythonStandIn, ImageInPlaceOfAnInterpreter_TooManyThreadsAndFrames_AreCutOff) {
  uint64_t frame = 0;
  const uint64_t code = image_.code(image_.text("f"), image_.text("x.py"), 1);
  for (size_t depth = 0; depth < 100; ++depth) frame = image_.frame(code, frame);
  uint64_t thread = 0;
  for (size_t count = 0; count < 40; ++count) thread = image_.thread(11, frame, thread);
  image_.begin_with(thread);
  const auto threads = read();
  ASSERT_EQ(threads.size(), 32u);
  EXPECT_EQ(threads[31].frames.size(), 64u);
}

TEST_P(PythonStandIn, ImageInPlaceOfAnInterpreter_LengthsAndPointersOfGarbage_GiveNoText) {
  const uint64_t text = image_.text("step");
  const uint64_t code = image_.code(text, text, 1);
  image_.begin_with(image_.thread(11, image_.frame(code, 0), 0));
  for (const uint64_t garbage : {uint64_t{0}, ~uint64_t{0}, uint64_t{1} << 63, uint64_t{1} << 40}) {
    image_.put(text + layout_.text_length, garbage);
    image_.put(code + layout_.line_table, garbage);
    EXPECT_EQ(read()[0].frames, FrameTexts{" ()"}) << garbage;
    image_.put(image_.python().runtime + layout_.interpreters, garbage);
    EXPECT_LE(read().size(), 1u) << garbage;
    image_.put(image_.python().runtime + layout_.interpreters, image_.interpreter());
  }
}

class FreeThreadedStandIn : public PythonStandIn {};

INSTANTIATE_TEST_SUITE_P(Layouts, FreeThreadedStandIn, testing::Values("3.14t", "3.15t"), name_of_layout);

TEST_P(FreeThreadedStandIn, ImageInPlaceOfAnInterpreter_ThreadHasInstructionsOfItsOwn_LineIsRead) {
  const uint64_t code = image_.code(image_.text("wait"), image_.text("train.py"), 7);
  const uint64_t frame = image_.frame(code, 0);
  const uint64_t own = image_.place(64);
  const uint64_t copies = image_.place(64);
  image_.put<int64_t>(copies, 2);
  image_.put(copies + 16, own);
  image_.put(code + layout_.thread_code->copies, copies);
  image_.put<int32_t>(frame + layout_.thread_code->index, 1);
  image_.put(frame + layout_.instruction, own + 2);
  image_.begin_with(image_.thread(11, frame, 0));
  EXPECT_EQ(read()[0].frames, FrameTexts{"wait (train.py:9)"});
  for (const int32_t garbage : {2, -1, INT32_MAX, INT32_MIN}) {
    image_.put(frame + layout_.thread_code->index, garbage);
    EXPECT_EQ(read()[0].frames.size(), 1u) << garbage;
  }
}

// The supported interpreters of this machine: in the folders of PATH, and those of pyenv.
std::vector<std::string> interpreters() {
  namespace fs = std::filesystem;
  const auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  std::vector<fs::path> folders;
  for (const std::string& folder : split(variable("PATH"), ':')) {
    if (!folder.ends_with("/shims")) folders.push_back(folder);  // shims of pyenv may start nothing
  }
  std::error_code none;
  for (const auto& version : fs::directory_iterator(variable("HOME") + "/.pyenv/versions", none))
    folders.push_back(version.path() / "bin");
  std::map<std::string, std::string> found;  // by name
  for (const fs::path& folder : folders) {
    for (const char* release : {"3.10", "3.11", "3.12", "3.13", "3.13t", "3.14", "3.14t", "3.15", "3.15t"}) {
      const std::string name = std::string("python") + release;
      if (fs::exists(folder / name, none)) found.emplace(name, folder / name);
    }
  }
  std::vector<std::string> paths;
  for (const auto& [name, path] : found) paths.push_back(path);
  return paths;
}

class RealPython : public testing::TestWithParam<std::string> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealPython);
INSTANTIATE_TEST_SUITE_P(Installed, RealPython, testing::ValuesIn(interpreters()), [](const auto& info) {
  std::string name = std::filesystem::path(info.param).filename();
  std::erase(name, '.');
  return name;
});

TEST_P(RealPython, Interpreter_TwoThreadsWait_FunctionsAndLinesAreRead) {
  RunningPython python(GetParam(),
                       "import os, sys, threading\n"
                       "def work():\n"
                       "  os.write(1, b'w') and os.read(0, 1)\n"
                       "class Model:\n"
                       "  def step(self):\n"
                       "\n"
                       "    os.write(1, b'm') and os.read(0, 1)\n"
                       "def steps():\n"
                       "  yield (3, 10) <= sys.version_info < (3, 16) and Model().step()\n"
                       "threading.Thread(target=work, daemon=True).start()\n"
                       "for step in steps():\n"
                       "  pass\n");
  ASSERT_TRUE(python.says("mw")) << GetParam();
  const PythonFrames frames = python_frames(python.pid());
  ASSERT_EQ(frames.outcome, PythonFrames::Outcome::read);
  ASSERT_EQ(frames.threads.size(), 2u);
  ASSERT_FALSE(frames.threads[0].frames.empty());
  EXPECT_EQ(frames.threads[0].frames[0], "work (<string>:3)");
  EXPECT_EQ(frames.threads[1].number, python.pid());
  const std::string step = frames.release == 0x030A ? "step" : "Model.step";
  EXPECT_EQ(frames.threads[1].frames,
            (FrameTexts{step + " (<string>:7)", "steps (<string>:9)", "<module> (<string>:11)"}));
}

// A shell named `python3.9` stands in for an interpreter whose layout is not known.
TEST(PythonFrames, StandInForAnUnknownRelease_IsRunning_IsNotRead) {
  char folder[] = "/tmp/python-frames-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string program = std::string(folder) + "/python3.9";
  std::filesystem::copy_file("/bin/sh", program);
  RunningPython python(program, "printf m; read -r line");
  ASSERT_TRUE(python.says("m"));
  const PythonFrames frames = python_frames(python.pid());
  std::filesystem::remove_all(folder);
  EXPECT_EQ(frames.outcome, PythonFrames::Outcome::unknown);
  EXPECT_EQ(release_name(frames.release), "3.9");
  EXPECT_TRUE(frames.threads.empty());
}

TEST(PythonFrames, Process_IsNoPythonOrGone_NothingIsRead) {
  EXPECT_EQ(python_frames(getpid()).outcome, PythonFrames::Outcome::no_python);
  EXPECT_EQ(python_frames(INT32_MAX).outcome, PythonFrames::Outcome::no_python);
}

}  // namespace
}  // namespace muster
