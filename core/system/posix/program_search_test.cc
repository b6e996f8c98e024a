// SPDX-License-Identifier: Apache-2.0
#include "core/system/posix/program_search.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

class ProgramSearchTest : public testing::Test {
 protected:
  ProgramSearchTest() {
    char name[] = "/tmp/muster-test-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    folder = name;
    for (const char* below : {"/one", "/two"}) std::filesystem::create_directory(folder + below);
  }
  ~ProgramSearchTest() override { std::filesystem::remove_all(folder); }
  void make(const std::string& file, mode_t mode) {
    std::ofstream(folder + file) << "text";
    chmod((folder + file).c_str(), mode);
  }

  std::string folder;
};

TEST_F(ProgramSearchTest, FindExecutable_TheFirstThatMayRun_IsFound) {
  make("/one/train", 0644);
  make("/two/train", 0755);
  EXPECT_EQ(find_executable("train", folder + "/one:" + folder + "/two", "/"), folder + "/two/train");
  EXPECT_EQ(find_executable("one", folder, "/"), "") << "it is a folder";
  EXPECT_EQ(find_executable("test", folder, "/"), "");
}

TEST_F(ProgramSearchTest, FindExecutable_RelativeWords_AreBelowTheWorkingFolder) {
  make("/two/train", 0755);
  EXPECT_EQ(find_executable("two/train", "/bin", folder), folder + "/two/train");
  EXPECT_EQ(find_executable("train", "two", folder), folder + "/two/train");
  EXPECT_EQ(find_executable("train", "", folder + "/two"), folder + "/two/./train") << "an empty folder of PATH";
}

TEST_F(ProgramSearchTest, ScriptInterpreter_IsTheProgramOfTheFirstLine) {
  const auto of = [this](const std::string& text) {
    std::ofstream(folder + "/script") << text;
    return script_interpreter(folder + "/script");
  };
  EXPECT_EQ(of("#!/opt/venv/bin/python\nimport os\n"), "/opt/venv/bin/python");
  EXPECT_EQ(of("#! /usr/bin/env -S python3 -u\n"), "python3");
  EXPECT_EQ(of("import os\n"), "");
  EXPECT_EQ(script_interpreter(folder + "/missing"), "");
}

}  // namespace
}  // namespace muster
