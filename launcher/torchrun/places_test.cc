// SPDX-License-Identifier: Apache-2.0
// Choosing the interpreter and the log folder, with real files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "launcher/torchrun/log_folder.h"
#include "launcher/torchrun/program.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

class TorchrunPlaces : public testing::Test {
 protected:
  TorchrunPlaces() {
    std::string path = testing::TempDir() + "torchrunXXXXXX";
    folder_ = mkdtemp(path.data());
  }
  ~TorchrunPlaces() override { fs::remove_all(folder_); }

  std::string program(const std::string& name) {
    fs::create_directories(fs::path(folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "#!/bin/sh\n";
    fs::permissions(folder_ / name, fs::perms::owner_all);
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(TorchrunPlaces, AnInterpreterThatWasTyped_WinsOverTheNearest) {
  ProgramPlace place{{{"PATH", folder_ / "bin"}}, folder_, "muster"};
  program("bin/python3");
  TorchrunFlags flags{.training_script = "t.py", .local_rank_argument = true, .interpreter = "/opt/python"};
  flags.training_script_args = {"--lr", "1"};
  using Words = std::vector<std::string>;
  EXPECT_EQ(*torchrun_command(flags, place),
            (Words{"/opt/python", "-u", "t.py", "--local-rank=${local_rank}", "--lr", "1"}));
  place.environment["PYTHON_EXEC"] = folder_ / "bin/python3";
  EXPECT_EQ(torchrun_command(flags, place)->front(), folder_ / "bin/python3");
}

TEST_F(TorchrunPlaces, TheInterpreterIsTheNearest) {
  const std::string system = program("bin/python3");
  const std::string own = program("venv/bin/python");
  program("venv/pyvenv.cfg");
  ProgramPlace place{{{"PATH", folder_ / "bin"}, {"VIRTUAL_ENV", folder_ / "venv"}}, folder_, "muster"};
  EXPECT_EQ(*torchrun_interpreter(place), system) << "PATH decides, as for the shell";
  EXPECT_EQ(*torchrun_interpreter(place, "venv/bin/tool"), own);
  EXPECT_EQ(*torchrun_interpreter(place, "bin/tool"), system);
  place.called = folder_ / "venv/bin/torchrun";
  EXPECT_EQ(*torchrun_interpreter(place), own);
  place.environment["PYTHON_EXEC"] = "python3";
  EXPECT_EQ(*torchrun_interpreter(place), "python3");
  place.environment["PYTHON_EXEC"] = "/nowhere/python";
  EXPECT_NE(torchrun_interpreter(place).status().message().find("PYTHON_EXEC"), std::string::npos);
  EXPECT_FALSE(torchrun_interpreter({{{"PATH", "/nowhere"}}, folder_, "muster"}).ok());
}

TEST_F(TorchrunPlaces, TheCommandIsTorchruns) {
  const std::string python = program("bin/python3");
  const std::map<std::string, std::string> environment{{"PATH", folder_ / "bin"}};
  const auto command = [&](TorchrunFlags flags) {
    flags.training_script = "bin/python3";
    flags.training_script_args = {"-x"};
    return *torchrun_command(flags, {environment, folder_, "muster"});
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(command({}), (Words{python, "-u", "bin/python3", "-x"}));
  EXPECT_EQ(command({.module = true}), (Words{python, "-u", "-m", "bin/python3", "-x"}));
  EXPECT_EQ(command({.no_python = true}), (Words{"bin/python3", "-x"}));
  EXPECT_EQ(command({.no_python = true, .run_path = true})[2], "-c");
  EXPECT_FALSE(torchrun_command({.run_path = true, .training_script = "no.py"}, {environment, folder_, "muster"}).ok());
}

TEST_F(TorchrunPlaces, EveryRunHasAFolderOfItsOwn) {
  const auto one = make_log_folder("logs/deep", "run", "/nowhere", folder_);
  const auto other = make_log_folder("logs/deep", "run", "/nowhere", folder_);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(*one, *other);
  EXPECT_TRUE(one->starts_with((folder_ / "logs/deep/run_").string())) << *one;
  const auto temporary = make_log_folder({}, "run", folder_, folder_);
  EXPECT_TRUE(temporary->starts_with((folder_ / "torchelastic_").string())) << *temporary;
}

TEST_F(TorchrunPlaces, AFileIsNoFolder) {
  program("file");
  EXPECT_NE(make_log_folder("file", "run", "/tmp", folder_).status().message().find("is not a folder"),
            std::string::npos);
  EXPECT_FALSE(make_log_folder("file/below", "run", "/tmp", folder_).ok());
}

}  // namespace
}  // namespace muster
