// ProcessHost: starts processes on this machine and tells how they end. The only way muster's runtime makes a
// process. Not a place for decisions: when to signal is the worker machine's business.
//
// Loop thread only. Every process leads a process group of its own; signals go to the whole group.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/job/exit_status.h"
#include "core/job/process_settings.h"

namespace muster {

struct SpawnRequest {
  std::vector<std::string> argv;         // argv[0] without a slash is looked up in the PATH of `environment`
  std::vector<std::string> environment;  // "NAME=value", complete: nothing is inherited
  std::string workdir;                   // absolute
  std::string stdout_path;               // appended to, created 0600; empty: /dev/null
  std::string stderr_path;
  bool tty = false;            // stdin, stdout and stderr are a pseudo-terminal; what it prints goes to stdout_path
  bool own_session = false;    // setsid: outlives our terminal
  bool dies_with_us = true;    // SIGKILL when our process dies (PR_SET_PDEATHSIG)
  std::vector<uint32_t> cpus;  // bound to these kernel CPU numbers; empty: not bound
  uint64_t memory_limit_bytes = 0;  // 0: none. Enforced by cgroup where one is writable, else by watching (ProcessHost)
  ProcessSettings settings;         // soft limits above the hard ones mean those; names unknown here are passed over
  std::string cgroup_name;          // of this process's cgroup, where there is one; who has no limit shares it by name
};

// Names a process started or adopted here; never reused within our life.
using ProcessHandle = uint64_t;

// Identifies a process across restarts of ours: a pid alone may be reused.
struct ProcessIdentity {
  int64_t pid = 0;
  uint64_t start_ticks = 0;  // /proc/PID/stat field 22 (proc(5)), clock ticks since boot
  bool operator==(const ProcessIdentity&) const = default;
};

using ExitHandler = std::function<void(const ExitStatus&)>;

class ProcessHost {
 public:
  virtual ~ProcessHost() = default;

  // Starts a process; `on_exit` runs once, in a later turn. Fails with not_found or permission_denied
  // when the program cannot be executed (the sentence names it and the PATH searched), resource_exhausted when the
  // system refuses a process; then nothing was started.
  virtual Result<ProcessHandle> spawn(const SpawnRequest& request, ExitHandler on_exit) = 0;

  // Watches a process that is not our child. Its exit code is unknown: `on_exit` gets code 0. not_found: it is gone.
  virtual Result<ProcessHandle> adopt(const ProcessIdentity& identity, ExitHandler on_exit) = 0;

  virtual ProcessIdentity identity(ProcessHandle process) const = 0;

  // To the process's group; nothing happens when it has ended.
  virtual void signal(ProcessHandle process, int number) = 0;

  // SIGKILLs and reaps every descendant of ours that is no live process of spawn(): what ended ranks left behind,
  // daemons included (we are their subreaper). `done` gets the count, in a later turn, when none is left.
  virtual void sweep(std::function<void(uint32_t killed)> done) = 0;

  // SIGKILLs every process of our user that was started with all of `marks` ("NAME=value") in its environment,
  // whoever's child it is by now: what an agent and its guardian left that were killed together. `done` in a later
  // turn, when none is left or, after 5 s, those left cannot die.
  virtual void end_marked(const std::vector<std::string>& marks, std::function<void()> done) = 0;

  // Bytes typed at a `tty` process, and its window; ignored for others.
  virtual void write_tty(ProcessHandle process, std::string_view bytes) = 0;
  virtual void resize_tty(ProcessHandle process, uint16_t rows, uint16_t columns) = 0;
};

}  // namespace muster
