// SPDX-License-Identifier: Apache-2.0
// Paths of the files and sockets that a user's muster has on this machine.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/client/caller_context.h"

namespace muster {

// The controller's state folder, absolute; empty if it cannot be determined. Does not create it.
std::string state_folder(const CallerContext& caller);

struct WirePaths {
  std::string state;    // the state folder
  std::string runtime;  // folder for sockets, mode 0700, owned by the user
  std::string socket;   // the controller's socket, one per state folder
};

// Creates the runtime folder; fails if other users can access it. Creates the state folder only if it is in a folder for
// all users (state_place.h); then it fails if another user owns it.
Result<WirePaths> wire_paths(const CallerContext& caller);

// The socket on which an agent serves its workers. It is in the folder of `dialled`, the socket that the agent connects
// to; `guardian` is the pid of the agent's guardian.
std::string worker_socket_path(const std::string& dialled, int64_t guardian);

// Removes that socket and the sockets that the agent's ranks created beside it.
void remove_worker_sockets(const std::string& dialled, int64_t guardian);

// The pipe for the timers of the agent's ranks; arguments as for worker_socket_path().
std::string timer_pipe_path(const std::string& dialled, int64_t guardian);

// The folder for the files of the agent's warm parent; arguments as for worker_socket_path().
std::string warm_folder(const std::string& dialled, int64_t guardian);

// The folder with the removals of the agent's containers (linux_container_host.h); arguments as for worker_socket_path().
std::string container_folder(const std::string& dialled, int64_t guardian);

// The folder for the files of the agent's PMIx service, arguments as for worker_socket_path(), and the folder for shared memory of MPI
// ranks that belongs to it.
std::string mpi_folder(const std::string& dialled, int64_t guardian);
std::string mpi_shared_folder(const std::string& folder);

// Folder with the recorded imports of programs, shared by all jobs; in the state folder, on a host that muster was copied to in
// host_folder(). Empty: there is none.
std::string lessons_folder(const CallerContext& caller);

// Folder with snapshots of jobs' code (backends/ssh/code/snapshot.h).
std::string code_archives(const CallerContext& caller);

// Folder with packed copies of this program, to be sent to hosts.
std::string packed_programs(const CallerContext& caller);

// Folder for muster's files on a host that it was copied to: the cache that contains the program
// (CACHE/bin/HASH/muster), else a folder in the state folder. Empty: there is none.
std::string host_folder(const CallerContext& caller);

// The socket of a `run --standalone` with this pid, in the runtime folder.
std::string standalone_socket_path(const std::string& runtime, int64_t pid);

// All such sockets in the runtime folder, including those left by runs that were killed.
std::vector<std::string> standalone_sockets(const std::string& runtime);

// Sockets, pipes and folders left in the runtime folder by agents and standalone runs that were killed.
std::vector<std::string> stale_sockets(const std::string& runtime);

// Removes stale_sockets().
void remove_stale_sockets(const std::string& runtime);

}  // namespace muster
