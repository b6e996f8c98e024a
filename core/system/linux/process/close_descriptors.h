// close_descriptors_from: every descriptor of this process from `first` on. For a child before exec: system calls
// only, no allocation.
#pragma once

namespace muster {

void close_descriptors_from(int first);

// For a child that shares its parent's table: one of its own, in which those from `first` on never were. To copy and then to
// close them costs a parent of many processes 0.1 ms. False, with errno: the kernel has no memory.
bool own_descriptors_below(int first);
// Whether this kernel can (Linux 5.9) and lets us.
bool can_own_descriptors();

// What it does where close_range(2) is missing (before Linux 5.9): reads /proc/self/fd.
void close_descriptors_by_proc(int first);

}  // namespace muster
