// Processes of ours found by what stands in their environment, whoever's children they have become (proc(5), environ).
// Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace muster {

// Alive, of our user, not ourselves, started with all of `marks` ("NAME=value"). What a process has since written over
// its environment, or a program that clears it, is not found.
std::vector<pid_t> marked_processes(const std::vector<std::string>& marks);

// SIGKILL to each; how many there were.
size_t kill_marked(const std::vector<std::string>& marks);

}  // namespace muster
