// The pages of the program's file that this process has before it. Most of those are from starting, and because the kernel puts what
// lies around a page that is needed before the process too; code that a process has before it is the last that the kernel takes away
// when memory runs short. What is needed again comes back from the page cache without a disk being read.
#pragma once

#include <cstddef>

#include "core/port/loop.h"

namespace muster {

// Lets go of all code and constants of the program; bytes, needed or not. Nothing under a debugger: breakpoints stand in such pages.
size_t let_go_of_code();

// Does so a second after it was made, when starting is over, and whenever a look each ten seconds finds more than idling needs: what jobs
// needed as they began and ended goes as well. It takes 0.6 ms, most of it for what comes back. Loop thread only.
class CodePages {
 public:
  explicit CodePages(Loop& loop);
  ~CodePages();
  CodePages(const CodePages&) = delete;
  CodePages& operator=(const CodePages&) = delete;

 private:
  void look_at(TimePoint when);
  void look();

  Loop& loop_;
  TimerId timer_ = 0;
  size_t left_ = 0;  // bytes of files before us when all was let go: of libraries
};

}  // namespace muster
