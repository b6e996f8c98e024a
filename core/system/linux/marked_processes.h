// SPDX-License-Identifier: Apache-2.0
// Finds processes of our user by their environment variables, whatever their parent is (proc(5), environ).
// Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace muster {

// Living processes of our user, except this one, that were started with all of `marks` ("NAME=value"). Not found: a process
// that overwrote its environment, and a program that was started with a cleared one.
std::vector<pid_t> marked_processes(const std::vector<std::string>& marks);

// Sends SIGKILL to each; returns their number.
size_t kill_marked(const std::vector<std::string>& marks);

}  // namespace muster
