// SPDX-License-Identifier: Apache-2.0
// Every file of test/scenario/*/ is one test: the machine must make the decisions written in it.

#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include "test/scenario/drivers.h"

namespace muster::scenario {
namespace {

using Path = std::filesystem::path;

bool rewriting() {
  const char* flag = std::getenv("MUSTER_REWRITE_GOLDEN");
  return flag != nullptr && std::string(flag) == "1";
}

void check(const Path& path, Driver& driver) {
  const std::string written = read_text(path);
  ASSERT_FALSE(written.empty()) << path;
  std::string played;
  try {
    played = play(written, driver);
  } catch (const BadCommand& bad) {
    FAIL() << path.string() << ": " << bad.what();
  }
  if (rewriting()) return write_text(path, played);
  EXPECT_EQ(written, played) << path.string() << "\nMUSTER_REWRITE_GOLDEN=1 accepts the new decisions.";
}

std::string name_of(const testing::TestParamInfo<Path>& info) { return info.param.stem().string(); }

class Worker : public testing::TestWithParam<Path> {};
TEST_P(Worker, DecidesAsWritten) { check(GetParam(), *worker_driver()); }
INSTANTIATE_TEST_SUITE_P(Scenario, Worker, testing::ValuesIn(scenario_files("worker")), name_of);

class Rendezvous : public testing::TestWithParam<Path> {};
TEST_P(Rendezvous, DecidesAsWritten) { check(GetParam(), *rendezvous_driver()); }
INSTANTIATE_TEST_SUITE_P(Scenario, Rendezvous, testing::ValuesIn(scenario_files("rendezvous")), name_of);

class Job : public testing::TestWithParam<Path> {};
TEST_P(Job, DecidesAsWritten) { check(GetParam(), *job_driver()); }
INSTANTIATE_TEST_SUITE_P(Scenario, Job, testing::ValuesIn(scenario_files("job")), name_of);

class Queue : public testing::TestWithParam<Path> {};
TEST_P(Queue, DecidesAsWritten) { check(GetParam(), *queue_driver()); }
INSTANTIATE_TEST_SUITE_P(Scenario, Queue, testing::ValuesIn(scenario_files("queue")), name_of);

}  // namespace
}  // namespace muster::scenario
