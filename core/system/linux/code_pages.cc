#include "core/system/linux/code_pages.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

constexpr Duration kStarted = std::chrono::seconds(1);
constexpr Duration kAgain = std::chrono::seconds(10);
// What an idle controller or agent takes back within a second.
constexpr size_t kNeeded = 9 << 19;

bool is_traced() {
  const std::string status = read_small_file("/proc/self/status").value_or("");
  return status.find("TracerPid:\t0\n") == std::string::npos;
}

// Segments that can be written hold what was written to them, constants with addresses included (RELRO); the others are as they are
// in the file.
int let_go_of_first(dl_phdr_info* program, size_t, void* data) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = program->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const size_t begin = (program->dlpi_addr + segment.p_vaddr) & ~(page - 1);
    const size_t size = (program->dlpi_addr + segment.p_vaddr + segment.p_memsz - begin + page - 1) & ~(page - 1);
    if (madvise(reinterpret_cast<void*>(begin), size, MADV_DONTNEED) == 0) *static_cast<size_t*>(data) += size;
  }
  return 1;  // the first is the program itself (dl_iterate_phdr(3))
}

// Of files before this process (proc(5), statm).
size_t file_bytes() {
  std::istringstream pages(read_small_file("/proc/self/statm").value_or(""));
  size_t size = 0, resident = 0, of_files = 0;
  pages >> size >> resident >> of_files;
  return of_files * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

size_t let_go_of_code() {
  size_t bytes = 0;
  if (!is_traced()) dl_iterate_phdr(let_go_of_first, &bytes);
  return bytes;
}

CodePages::CodePages(Loop& loop) : loop_(loop) { look_at(loop.now() + kStarted); }

void CodePages::look_at(TimePoint when) {
  timer_ = loop_.at(when, [this] {
    look();
    look_at(next_whole(loop_.now(), kAgain));
  });
}

void CodePages::look() {
  if (file_bytes() <= left_ + kNeeded || let_go_of_code() == 0) return;
  left_ = file_bytes();
}

CodePages::~CodePages() { loop_.cancel(timer_); }

}  // namespace muster
