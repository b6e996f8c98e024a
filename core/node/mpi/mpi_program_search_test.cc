// SPDX-License-Identifier: Apache-2.0
#include "core/node/mpi/mpi_program_search.h"

#include <gtest/gtest.h>

#include "core/system/asio/run_until.h"

namespace muster {
namespace {

class MpiProgramSearchTest : public testing::Test {
 protected:
  void find(const std::string& world, const std::string& program, MpiProgramSearch* search = nullptr) {
    SpawnRequest request;
    request.argv = {program};
    request.environment = {"PATH=/usr/bin:/bin", "LD_LIBRARY_PATH=/nowhere/" + program};
    (search == nullptr ? programs : *search).find(world, request, [this, world](const MpiProgram&) {
      told.push_back(world);
    });
  }

  AsioLoop loop;
  MpiProgramSearch programs{loop};
  std::vector<std::string> told;
};

TEST_F(MpiProgramSearchTest, Find_ServicesOfOneAttempt_GetOneResult) {
  find("x-1", "sh");
  find("x-1", "sh");
  EXPECT_TRUE(told.empty()) << "it is read on another thread";
  EXPECT_TRUE(run_until(loop, [&] { return told.size() == 2; }));
  find("x-1", "sh");
  EXPECT_EQ(told.size(), 3u) << "it is known";
}

TEST_F(MpiProgramSearchTest, Find_TheNextAttempt_IsSearchedAgain) {
  find("x-1", "sh");
  find("x-2", "sh");
  EXPECT_TRUE(run_until(loop, [&] { return !told.empty(); }));
  EXPECT_EQ(told, std::vector<std::string>{"x-2"});
}

TEST_F(MpiProgramSearchTest, Destroyed_DuringASearch_TellsNobody) {
  {
    MpiProgramSearch gone(loop);
    find("x-1", "sh", &gone);
  }
  find("x-2", "sh");
  EXPECT_TRUE(run_until(loop, [&] { return !told.empty(); }));
  EXPECT_EQ(told, std::vector<std::string>{"x-2"});
}

}  // namespace
}  // namespace muster
