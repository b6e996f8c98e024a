// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/clone_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/linux/process/close_descriptors.h"
#include "core/system/linux/process/wait_status.h"

namespace muster {
namespace {

int write_number(void* number) {
  *static_cast<int*>(number) = 42;
  return 9;
}

void expect_it_ran(const ClonedProcess& process, int number) {
  ASSERT_GT(process.pid, 0);
  EXPECT_EQ(number, 42);
  EXPECT_TRUE(process.pidfd.valid());
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(process.pid), &info, WEXITED), 0);
  EXPECT_EQ(exit_status_of(info).code, 9);
}

TEST(CloneProcess, SharesMemoryAndWaitsForTheChild) {
  int number = 0;
  const ClonedProcess process = clone_process(write_number, &number, -1);
  expect_it_ran(process, number);
}

TEST(CloneProcess, WorksOnKernelsWithoutClone3) {
  int number = 0;
  const ClonedProcess process = clone_process_before_clone3(write_number, &number);
  expect_it_ran(process, number);
}

TEST(CloneProcess, ADescriptorThatIsNoCgroupIsAnError) {
  int number = 0;
  const ClonedProcess process = clone_process(write_number, &number, STDOUT_FILENO);
  EXPECT_EQ(process.pid, -1);
  EXPECT_NE(process.error, 0);
}

int close_all_by_proc(void*) {
  close_descriptors_by_proc(3);
  for (int fd = 3; fd < 64; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) return 1;
  }
  return fcntl(0, F_GETFD) >= 0 ? 0 : 2;
}

TEST(CloneProcess, DescriptorsCloseWithoutCloseRangeToo) {
  const UniqueFd one(dup(0));
  const UniqueFd two(dup(0));
  const ClonedProcess process = clone_process(close_all_by_proc, nullptr, -1);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(process.pid), &info, WEXITED), 0);
  EXPECT_EQ(exit_status_of(info).code, 0);
  EXPECT_GE(fcntl(one.get(), F_GETFD), 0);
}

}  // namespace
}  // namespace muster
