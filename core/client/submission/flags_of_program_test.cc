// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/flags_of_program.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;

class FlagsOfProgramTest : public testing::Test {
 protected:
  FlagsOfProgramTest() {
    std::string pattern = (fs::temp_directory_path() / "muster-flags-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    write("train.py", "parser.add_argument('--lr')\n");
  }
  ~FlagsOfProgramTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string warning(const std::vector<std::string>& command) const {
    return misplaced_flag(command, folder_, JobFlags());
  }

  fs::path folder_;
};

TEST_F(FlagsOfProgramTest, Flag_ThatTheScriptDoesNotKnow_IsNamed) {
  EXPECT_EQ(warning({"python", "train.py", "--lr", "1", "--restarts=3"}),
            "the program gets --restarts, because it is after `--`; if it is meant for muster, write it before `--`");
  EXPECT_NE(warning({"python", "train.py", "--dry-run"}), "");
}

TEST_F(FlagsOfProgramTest, Flag_ThatTheScriptOrAFileBesideItKnows_IsThePrograms) {
  write("options.py", "class Options:\n  dry_run: bool = False\n");
  write("train.py", "parser.add_argument('--workers')\n");
  EXPECT_EQ(warning({"python", "train.py", "--workers", "4"}), "");
  EXPECT_EQ(warning({"python", "train.py", "--dry-run"}), "");
}

TEST_F(FlagsOfProgramTest, Program_ThatCannotBeRead_GetsNoWarning) {
  EXPECT_EQ(warning({"python", "-m", "train", "--restarts", "3"}), "");
  EXPECT_EQ(warning({"python", "train.py", "-n", "3", "restarts"}), "");
}

}  // namespace
}  // namespace muster
