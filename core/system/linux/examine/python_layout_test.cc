// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/python_layout.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/system/linux/examine/python_descriptions.h"
#include "core/system/linux/examine/python_interpreter.h"

namespace muster {
namespace {

TEST(PythonRelease, PathOfAnInterpreter_NamesARelease_IsFound) {
  EXPECT_EQ(release_in_path("/usr/lib/libpython3.10.so.1.0"), 0x030Au);
  EXPECT_EQ(release_in_path("/opt/python3.9/bin/python3.12"), 0x030Cu);
  EXPECT_EQ(release_in_path("/opt/bin/python3.13t"), 0x030Du);
  EXPECT_EQ(release_in_path("/opt/bin/python3"), 0u);
  EXPECT_EQ(release_in_path("/opt/bin/python3.99999999999"), 0u);
  EXPECT_EQ(release_name(0x030A), "3.10");
  EXPECT_EQ(release_name(0), "");
}

TEST(PythonLayout, Table_Releases_AreThoseThatDoNotDescribeThemselves) {
  EXPECT_EQ(table_layout(0x0309), nullptr);
  ASSERT_NE(table_layout(0x030A), nullptr);
  EXPECT_TRUE(table_layout(0x030A)->line);
  ASSERT_NE(table_layout(0x030B), nullptr);
  EXPECT_EQ(table_layout(0x030B)->frame_in_cframe, 8u);
  ASSERT_NE(table_layout(0x030C), nullptr);
  EXPECT_EQ(table_layout(0x030D), nullptr);
}

TEST(PythonLayout, DescriptionOf313_IsWhole_OffsetsAreTaken) {
  EXPECT_EQ(described_release(described_by(kWords313)), 0x030Du);
  const auto layout = described_layout(described_by(kWords313));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->interpreters, 632u);
  EXPECT_EQ(layout->threads, 7344u);
  EXPECT_EQ(layout->thread_number, 160u);
  EXPECT_EQ(layout->frame, 72u);
  EXPECT_EQ(layout->owner, 70u);
  EXPECT_EQ(layout->name, 128u);
  EXPECT_EQ(layout->instructions, 200u);
  EXPECT_EQ(layout->ascii_text, 40u);
  EXPECT_EQ(layout->wide_text, 56u);
  EXPECT_FALSE(layout->thread_code);
}

TEST(PythonLayout, DescriptionOfAFreeThreadedBuild_From314_HasInstructionsOfThreads) {
  const auto older = described_layout(described_by(kWords313t));
  ASSERT_TRUE(older);
  EXPECT_EQ(older->type, 24u);
  EXPECT_EQ(older->kind_bit, 2u);
  EXPECT_FALSE(older->thread_code);
  for (const auto& words : {kWords314t, kWords315t}) {
    const auto layout = described_layout(described_by(words));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->kind_bit, 8u);
    ASSERT_TRUE(layout->thread_code);
    EXPECT_EQ(layout->thread_code->index, 72u);
    EXPECT_EQ(layout->thread_code->copies, 224u);
  }
  EXPECT_FALSE(described_layout(described_by(kWords315))->thread_code);
}

TEST(PythonLayout, Description_OtherReleaseOrBeta_IsRefused) {
  DescriptionWords words = kWords315;
  words[0] = 0x030F00B4;
  EXPECT_FALSE(described_layout(described_by(words))) << "a beta version";
  words[0] = 0x030F00C1;
  EXPECT_TRUE(described_layout(described_by(words))) << "a release candidate";
  words[0] = 0x031000F0;
  EXPECT_FALSE(described_layout(described_by(words))) << "3.16";
  EXPECT_EQ(described_release(described_by(words)), 0x0310u);
}

TEST(PythonLayout, Description_CutOrWithoutCookie_IsRefused) {
  const std::string whole = described_by(kWords314);
  for (size_t size = 0; size < whole.size(); size += 7) EXPECT_FALSE(described_layout(whole.substr(0, size))) << size;
  EXPECT_FALSE(described_layout("y" + whole.substr(1)));
  EXPECT_EQ(described_release("y" + whole.substr(1)), 0u);
}

// Makes each word that matters too large, one after the other.
TEST(PythonLayout, Description_OffsetOutsideOfItsStructure_IsRefused) {
  size_t refused = 0;
  for (size_t i = 2; i < kWords314t.size(); ++i) {
    DescriptionWords words = kWords314t;
    words[i] = UINT64_MAX - 3;
    if (!described_layout(described_by(words))) ++refused;
  }
  EXPECT_EQ(refused, 31u) << "23 offsets and the sizes of eight structures";
}

class RuntimeText : public RemoteMemory {
 public:
  explicit RuntimeText(std::string text) : text_(std::move(text)) {}
  bool copy(uint64_t from, void* to, size_t size) const override {
    if (from < kRuntime || from - kRuntime > text_.size() || text_.size() - (from - kRuntime) < size) return false;
    std::memcpy(to, text_.data() + (from - kRuntime), size);
    return true;
  }
  static constexpr uint64_t kRuntime = 0x1000;

 private:
  std::string text_;
};

TEST(PythonInterpreter, RuntimeThatDescribesItself_NamedOtherwise_ItsDescriptionCounts) {
  const RuntimeText memory(described_by(kWords315t));
  const PythonProcess found = recognize_python(memory, RuntimeText::kRuntime, 0, 0x030A);
  EXPECT_EQ(found.release, 0x030Fu);
  ASSERT_TRUE(found.interpreter);
  EXPECT_TRUE(found.interpreter->layout.thread_code);
}

TEST(PythonInterpreter, RuntimeWithoutDescription_VersionOrName_SelectsTheRow) {
  std::string text(64, '\0');
  const uint64_t hex = 0x030B07F0;
  std::memcpy(text.data() + 32, &hex, sizeof hex);
  const RuntimeText memory(text);
  const PythonProcess by_version = recognize_python(memory, RuntimeText::kRuntime, RuntimeText::kRuntime + 32, 0x030A);
  EXPECT_EQ(by_version.release, 0x030Bu);
  EXPECT_TRUE(by_version.interpreter);
  const PythonProcess by_name = recognize_python(memory, RuntimeText::kRuntime, 0, 0x030A);
  ASSERT_TRUE(by_name.interpreter);
  EXPECT_TRUE(by_name.interpreter->layout.line);
  EXPECT_FALSE(recognize_python(memory, RuntimeText::kRuntime, 0, 0x0309).interpreter);
}

TEST(PythonInterpreter, Memory_CannotBeRead_IsSaid) {
  const PythonProcess found = recognize_python(RuntimeText(""), RuntimeText::kRuntime, 0, 0x030A);
  EXPECT_FALSE(found.is_readable);
  EXPECT_FALSE(found.interpreter);
  EXPECT_FALSE(recognize_python(RuntimeText("xdebugpy"), RuntimeText::kRuntime, 0, 0).interpreter)
      << "cut after the cookie";
}

}  // namespace
}  // namespace muster
