// Where a user's muster keeps its things on this machine.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/client/caller_context.h"

namespace muster {

// Where the user's controller keeps its things; absolute; empty when that cannot be told. Not made.
std::string state_folder(const CallerContext& caller);

struct WirePaths {
  std::string state;    // the state folder
  std::string runtime;  // 0700, ours: sockets
  std::string socket;   // the controller's, one per state folder
};

// Makes the runtime folder, and refuses one that is not ours alone; the state folder is only named.
Result<WirePaths> wire_paths(const CallerContext& caller);

// The socket of an agent for its workers, beside the one it dials; `guardian` is the pid of its guardian.
std::string worker_socket_path(const std::string& dialled, int64_t guardian);

// That socket, and those that its ranks made beside it.
void remove_worker_sockets(const std::string& dialled, int64_t guardian);

// The same for the pipe of its ranks' timers.
std::string timer_pipe_path(const std::string& dialled, int64_t guardian);

// The same for the files of its warm parent.
std::string warm_folder(const std::string& dialled, int64_t guardian);

// What programs were seen to import, across jobs: in the state folder; empty: there is none.
std::string lessons_folder(const CallerContext& caller);

// Where snapshots of jobs' code are kept (backends/ssh/code/snapshot.h).
std::string code_archives(const CallerContext& caller);

// Where this program is kept as it travels to hosts.
std::string packed_programs(const CallerContext& caller);

// Where muster keeps what it needs on a host that it was copied to: the cache that its program lies in (CACHE/bin/HASH/muster), else a
// folder beside the user's jobs; empty: there is none.
std::string host_folder(const CallerContext& caller);

// The socket of a `run --standalone`, in the runtime folder.
std::string standalone_socket_path(const std::string& runtime, int64_t pid);

// Those that lie there, perhaps of runs that were killed.
std::vector<std::string> standalone_sockets(const std::string& runtime);

// Sockets, pipes and folders of agents and standalone runs that were killed.
std::vector<std::string> stale_sockets(const std::string& runtime);

// Removes them.
void remove_stale_sockets(const std::string& runtime);

}  // namespace muster
