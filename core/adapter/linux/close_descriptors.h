// close_descriptors_from: every descriptor of this process from `first` on. For a child before exec: system calls
// only, no allocation.
#pragma once

namespace muster {

void close_descriptors_from(int first);

// What it does where close_range(2) is missing (before Linux 5.9): reads /proc/self/fd.
void close_descriptors_by_proc(int first);

}  // namespace muster
