// SPDX-License-Identifier: Apache-2.0
#include "core/client/python_choice.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;

class PythonChoice : public testing::Test {
 protected:
  PythonChoice() {
    std::string path = testing::TempDir() + "pythonXXXXXX";
    folder_ = mkdtemp(path.data());
    for (const char* name : {"venv/bin/python", "venv/bin/tool", "usr/bin/python3"}) {
      fs::create_directories((folder_ / name).parent_path());
      std::ofstream(folder_ / name) << "#!/bin/sh\n";
      fs::permissions(folder_ / name, fs::perms::owner_all);
    }
    std::ofstream(folder_ / "venv/pyvenv.cfg") << "home = /usr/bin\n";
  }
  ~PythonChoice() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(PythonChoice, Beside_ProgramOfAVirtualEnvironmentCalledByPath_ItsPython) {
  const std::string python = folder_ / "venv/bin/python";
  EXPECT_EQ(python_beside(folder_ / "venv/bin/tool", "/"), python);
  EXPECT_EQ(python_beside("venv/bin/tool", folder_), python);
  EXPECT_EQ(python_beside("../bin/tool", folder_ / "venv/lib"), python);
}

TEST_F(PythonChoice, Beside_OtherPrograms_Nothing) {
  EXPECT_EQ(python_beside("tool", folder_ / "venv/bin"), "") << "it was found in PATH";
  EXPECT_EQ(python_beside(folder_ / "usr/bin/tool", "/"), "") << "no virtual environment";
}

TEST_F(PythonChoice, Remark_InterpreterOfAnotherEnvironment_NamesBoth) {
  const std::string venv = folder_ / "venv";
  const std::string system = folder_ / "usr/bin/python3";
  EXPECT_EQ(environment_remark(system, {{"VIRTUAL_ENV", venv}}, "set PYTHON_EXEC=$"),
            "ranks run under " + system + ", not under the Python of VIRTUAL_ENV (" + venv +
                "); set PYTHON_EXEC=" + venv + "/bin/python");
}

TEST_F(PythonChoice, Remark_SameOrNoEnvironment_Empty) {
  EXPECT_EQ(environment_remark(folder_ / "venv/bin/python", {{"VIRTUAL_ENV", folder_ / "venv/."}}, "$"), "");
  EXPECT_EQ(environment_remark("/usr/bin/python3", {}, "$"), "");
  EXPECT_EQ(environment_remark("/usr/bin/python3", {{"VIRTUAL_ENV", "/nowhere"}}, "$"), "") << "it has no Python";
}

}  // namespace
}  // namespace muster
