// SPDX-License-Identifier: Apache-2.0
#include "core/client/helper_python.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;

// A folder with files that have the names of Python's modules and end the program when they are executed.
class HelperPython : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/muster-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
    for (const char* module : {"importlib", "json", "os", "re", "encodings", "sitecustomize"})
      std::ofstream(folder / (std::string(module) + ".py")) << "raise SystemExit(7)\n";
  }
  void TearDown() override { fs::remove_all(folder); }

  Result<HelperResult> run(const std::string& code) {
    return run_program(helper_python("python3", code, environment, folder.string()));
  }

  fs::path folder;
  std::map<std::string, std::string> environment{{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
};

constexpr const char* kImports = "import importlib.util, json, os, re\nprint(folder)\n";

TEST_F(HelperPython, FilesInTheCurrentFolder_AreNotExecuted) {
  const auto ended = run(kImports);
  ASSERT_TRUE(ended.ok()) << ended.status().message();
  EXPECT_EQ(ended->exit_code, 0);
  EXPECT_EQ(ended->out, "['']\n");
}

TEST_F(HelperPython, PythonPathNamesTheCurrentFolder_FilesAreNotExecuted) {
  for (const std::string& path : {std::string(":"), std::string(".:"), folder.string(), folder.string() + "/:/none"}) {
    environment["PYTHONPATH"] = path;
    const auto ended = run(kImports);
    ASSERT_TRUE(ended.ok()) << ended.status().message();
    EXPECT_EQ(ended->exit_code, 0) << path;
    EXPECT_EQ(ended->out, "['']\n") << path;
  }
}

TEST_F(HelperPython, OtherFoldersOfPythonPath_AreUsed) {
  fs::create_directory(folder / "lib");
  std::ofstream(folder / "lib/of_the_user.py") << "print('used')\n";
  environment["PYTHONPATH"] = ":lib";
  const auto ended = run("import of_the_user\n");
  ASSERT_TRUE(ended.ok()) << ended.status().message();
  EXPECT_EQ(ended->out, "used\n");
}

}  // namespace
}  // namespace muster
