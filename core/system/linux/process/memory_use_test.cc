// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/memory_use.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

constexpr size_t kBytes = 256 << 20;
constexpr size_t kPage = 4096;

// A process that has mapped kBytes and has read or written each page.
class Mapper {
 public:
  Mapper(int flags, int file, bool writes) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    pid_ = fork();
    if (pid_ == 0) map_and_wait(flags, file, writes, ready[1]);
    close(ready[1]);
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1) << "the process could not map its memory";
    close(ready[0]);
  }
  ~Mapper() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Mapper(const Mapper&) = delete;
  Mapper& operator=(const Mapper&) = delete;

  bool exceeds(uint64_t limit) const { return !find_excess({{pid_, limit}}).empty(); }

 private:
  [[noreturn]] static void map_and_wait(int flags, int file, bool writes, int ready) {
    void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, flags, file, 0);
    if (memory == MAP_FAILED) _exit(1);
    auto* bytes = static_cast<volatile char*>(memory);
    for (size_t at = 0; at < kBytes; at += kPage) {
      if (writes) bytes[at] = 'x';
      if (!writes) static_cast<void>(bytes[at]);
    }
    if (write(ready, "x", 1) != 1) _exit(1);
    while (true) pause();
  }

  pid_t pid_ = -1;
};

class MemoryUse : public testing::Test {
 protected:
  // A file of kBytes on a disk: in /var/tmp, because /tmp may be memory.
  MemoryUse() : file_(mkstemp(name_)) {
    unlink(name_);
    EXPECT_EQ(posix_fallocate(file_.get(), 0, kBytes), 0);
  }

  char name_[32] = "/var/tmp/memory-use-XXXXXX";
  const UniqueFd file_;
};

TEST_F(MemoryUse, PagesOfAMappedFile_DoNotCount) {
  EXPECT_FALSE(Mapper(MAP_SHARED, file_.get(), false).exceeds(kBytes / 2));
  EXPECT_FALSE(Mapper(MAP_SHARED, file_.get(), true).exceeds(kBytes / 2)) << "the kernel writes them to the file";
}

TEST_F(MemoryUse, ChangedPagesOfAPrivateMapping_Count) {
  EXPECT_TRUE(Mapper(MAP_PRIVATE, file_.get(), true).exceeds(kBytes / 2));
}

TEST_F(MemoryUse, AnonymousAndSharedMemory_Count) {
  EXPECT_TRUE(Mapper(MAP_PRIVATE | MAP_ANONYMOUS, -1, true).exceeds(kBytes / 2));
  EXPECT_TRUE(Mapper(MAP_SHARED | MAP_ANONYMOUS, -1, true).exceeds(kBytes / 2));
}

}  // namespace
}  // namespace muster
