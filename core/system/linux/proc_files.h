// What /proc tells about processes (proc(5)). Any thread; answers are of the moment.
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

// The whole text of a small file; none when it cannot be read.
std::optional<std::string> read_small_file(const std::string& path);

// The same of a file of /proc that is one line: the kernel gives it in one piece, and nobody asks for what follows. For what is read
// of each rank each second.
std::optional<std::string> read_proc_line(const std::string& path);

std::optional<ProcessStat> parse_stat(const std::string& text);

// None when there is no such process.
std::optional<ProcessStat> read_stat(pid_t pid);
std::optional<uint64_t> start_ticks(pid_t pid);

// The variables that it was started with. Empty: we may not know.
std::map<std::string, std::string> read_environment(pid_t pid);

// The number that it has for itself, in a namespace of its own maybe; `pid` where that is not known.
int64_t own_number(pid_t pid);

std::vector<pid_t> all_processes();

// Those that the thread itself made and that live, zombies included. None: it is gone, or the kernel does not tell
// (CONFIG_PROC_CHILDREN). Reading it while some come and go may miss others.
std::optional<std::vector<pid_t>> children_of_thread(pid_t pid, pid_t thread);
std::vector<pid_t> threads_of(pid_t pid);  // sorted

// Children of this process, zombies included, of all its threads. May miss some while others come and go, but is
// not empty when there are any.
std::vector<pid_t> own_children();

// The same from the parent of every process: for kernels without CONFIG_PROC_CHILDREN.
std::vector<pid_t> own_children_by_scan();

}  // namespace muster
