// SPDX-License-Identifier: Apache-2.0
// ProcessHost: starts processes on this machine and reports their exits. All processes of ranks and services are started here.
// It makes no decisions; the worker machine decides when to send signals.
//
// Loop thread only. Every process leads a process group of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/job/caller_streams.h"
#include "core/job/exit_status.h"
#include "core/job/process_settings.h"

namespace muster {

// A container on this machine that processes join before they execute their program. They stay children of this process, with its
// pids, network, users and limits; only the file system is that of the container. The descriptors belong to the derived object.
struct ContainerEntry {
  int mounts = -1;  // mount namespace
  int users = -1;   // user namespace; -1: the same as ours
  virtual ~ContainerEntry() = default;
};

// The stdin of a rank. The first start opens it; it stays open for later starts as long as this object lives.
struct RankInput {
  CallerInput source;
  std::shared_ptr<void> opened;  // belongs to the process host
};

// With `tty`: what the terminal printed cannot be stored now, for the reason `why`. It waits and nothing more is read, so the
// process waits too; an empty `why`: it can be stored again. `missing`: the process has ended, and the rest has waited for 30 s.
using OutputWaits = std::function<void(const std::string& why, bool missing)>;

// The number that SpawnRequest::passed has in the program.
inline constexpr int kPassedDescriptor = 3;

struct SpawnRequest {
  std::vector<std::string> argv;         // argv[0] without a slash is looked up in the PATH of `environment`
  std::vector<std::string> environment;  // "NAME=value", complete: nothing is inherited
  std::string workdir;                   // absolute
  std::string stdout_path;               // appended to, created 0600; required, "/dev/null" discards the output
  std::string stderr_path;
  bool tty = false;  // stdin, stdout and stderr are a pseudo-terminal; what it prints goes to stdout_path
  std::optional<CallerWindow> window;  // with tty: of this kind; otherwise it is the controlling terminal
  OutputWaits output_waits;            // with tty: called in later turns; null: nobody is told
  std::shared_ptr<RankInput> input;    // null: stdin is the terminal, or empty
  bool own_session = false;            // setsid: it outlives the terminal
  bool dies_with_us = true;            // SIGKILL when this process ends (PR_SET_PDEATHSIG)
  std::vector<uint32_t> cpus;          // bound to these kernel CPU numbers; empty: not bound
  uint64_t memory_limit_bytes = 0;     // 0: none. Enforced by a cgroup if one is writable, else by polling
  ProcessSettings settings;            // soft limits are capped at the hard ones; unknown names are ignored
  int passed = -1;  // a descriptor of this process that the program gets as kPassedDescriptor; -1: none
  std::shared_ptr<const ContainerEntry>
      container;            // its program, workdir and libraries are in there; null: on the host
  std::string cgroup_name;  // of its cgroup, if there is one; processes without a limit share it by name
};

// Identifies a process that was started or adopted here; never reused by this process.
using ProcessHandle = uint64_t;

// Identifies a process across restarts of muster: a pid alone may be reused.
struct ProcessIdentity {
  int64_t pid = 0;
  uint64_t start_ticks = 0;  // /proc/PID/stat field 22 (proc(5)), clock ticks since boot
  bool operator==(const ProcessIdentity&) const = default;
};

// Which processes a signal is sent to. process: only the one that was started, as `kill PID` does. group: also the others of its
// process group.
enum class SignalReach { process, group };

using ExitHandler = std::function<void(const ExitStatus&)>;

class ProcessHost {
 public:
  virtual ~ProcessHost() = default;

  // Starts a process; `on_exit` runs once, in a later turn. not_found, permission_denied: the program cannot be executed; the
  // message names it and the searched PATH. resource_exhausted: the system refused a process, or there is no room for its
  // output files. invalid_argument: the request names no file for an output. After an error nothing runs.
  virtual Result<ProcessHandle> spawn(const SpawnRequest& request, ExitHandler on_exit) = 0;

  // Watches a process that is not a child of this one. Its exit code is unknown: `on_exit` gets code 0. not_found: it is gone.
  virtual Result<ProcessHandle> adopt(const ProcessIdentity& identity, ExitHandler on_exit) = 0;

  virtual ProcessIdentity identity(ProcessHandle process) const = 0;

  // No effect if the process has ended.
  virtual void signal(ProcessHandle process, int number, SignalReach reach) = 0;

  // Kills (SIGKILL) and reaps every descendant that is no live process of spawn(): processes that ended ranks left behind, daemons
  // included, since this process is their subreaper. Children whose pid is in `spared` continue. `done` gets the number of killed
  // processes, in a later turn, when none is left.
  virtual void sweep(const std::set<int64_t>& spared, std::function<void(uint32_t killed)> done) = 0;

  // Kills (SIGKILL) every process of this user that was started with all of `marks` ("NAME=value") in its environment, even if it
  // has another parent now: processes of an agent that was killed together with its guardian. Kills also what is left in the
  // cgroups of ended agents. `done` runs in a later turn, when none is left, or after 5 s if some do not end.
  virtual void end_marked(const std::vector<std::string>& marks, std::function<void()> done) = 0;

  // Input for a `tty` process, and its window size; ignored for other processes.
  virtual void write_tty(ProcessHandle process, std::string_view bytes) = 0;
  virtual void resize_tty(ProcessHandle process, uint16_t rows, uint16_t columns) = 0;
};

}  // namespace muster
