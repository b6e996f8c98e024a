// What a process keeps of memory that it has freed. Call it before other threads begin.
#pragma once

namespace muster {

// From here on each piece of 128 KiB or more is the kernel's again as soon as it is freed. glibc begins so, but takes each large piece that
// is freed as a sign to keep the next: for who builds large values now and then, and is to stay small in between.
void give_back_large_memory();

}  // namespace muster
