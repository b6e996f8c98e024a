// SPDX-License-Identifier: Apache-2.0
// Reads /proc about processes (proc(5)). Any thread; each answer describes the moment of the call.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster {

// The fields of /proc/PID/stat that muster needs.
struct ProcessStat {
  pid_t pid = 0;
  std::string command;
  char state = '?';  // Z: a zombie; D: in an uninterruptible wait; T: stopped by a signal; t: by a debugger
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  uint64_t cpu_ticks = 0;  // in user and kernel mode, with the children that it has waited for
  uint64_t start_ticks = 0;
  uint64_t rss_pages = 0;
  uint64_t threads = 0;
};

// The whole text of a small file. None: it cannot be read.
std::optional<std::string> read_small_file(const std::string& path);

// The same for a one-line file of /proc, with a single read(2): the kernel returns it in one piece. Used for files that are read
// for each rank each second.
std::optional<std::string> read_proc_line(const std::string& path);

std::optional<ProcessStat> parse_stat(const std::string& text);

// None: there is no such process. If its main thread has ended, it has the state of another thread.
std::optional<ProcessStat> read_stat(pid_t pid);
std::optional<uint64_t> start_ticks(pid_t pid);

// Whether there is no such process, or only its zombie. In a container whose first process reaps no children, zombies remain.
bool has_ended(pid_t pid);

// The folder of a process in /proc with its environment, memory and open files. That is the folder of another thread if the main
// thread has ended (pthread_exit(3)): /proc/PID then looks like that of a zombie.
std::string process_folder(pid_t pid);

// Whether stdin of `reader` is a pipe to which another of these processes writes its stdout or stderr.
bool reads_output_of(pid_t reader, const std::vector<pid_t>& writers);

// The environment variables that it was started with. Empty: we may not read them.
std::map<std::string, std::string> read_environment(pid_t pid);

// Its pid in its own pid namespace; `pid` if that is not known.
int64_t own_number(pid_t pid);

// The inode of this process's pid namespace; "" if it cannot be read. Pids are unique only together with it.
std::string pid_namespace();

// A name for files of a process in a folder that processes of other pid namespaces share: "PID-NAMESPACE".
std::string process_key(int64_t pid);

std::vector<pid_t> all_processes();

// The living children and zombies that this thread made. None: the thread is gone, or the kernel has no such file
// (CONFIG_PROC_CHILDREN). May miss children while others come and go.
std::optional<std::vector<pid_t>> children_of_thread(pid_t pid, pid_t thread);
std::vector<pid_t> threads_of(pid_t pid);  // sorted

// The children of all threads of this process, zombies included. May miss some while others come and go, but is
// not empty if there are any.
std::vector<pid_t> own_children();

// The same from the parent of every process, for kernels without CONFIG_PROC_CHILDREN.
std::vector<pid_t> own_children_by_scan();

}  // namespace muster
