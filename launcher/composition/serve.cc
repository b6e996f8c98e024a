// SPDX-License-Identifier: Apache-2.0
// `muster serve`: the user's controller. Commands start it if none runs; it exits when it is idle.

#include <poll.h>

#include <csignal>
#include <iostream>

#include "core/base/unix_socket.h"
#include "core/client/connect/paths.h"
#include "core/system/linux/process/process_limits.h"
#include "core/system/store/state_lock.h"
#include "launcher/composition/controller_settings.h"
#include "launcher/composition/hosting.h"
#include "launcher/composition/wire.h"

namespace muster {
namespace {

int refuse(const Status& status) {
  std::cerr << "error: " << status.message() << "\n";
  return status.code() == Code::failed_precondition ? 6 : 2;
}

// A controller that was killed has released its lock a moment before its socket.
bool listens_elsewhere(const std::string& socket) {
  constexpr int kTries = 100;
  constexpr int kPauseMs = 10;
  for (int tries = 0; tries < kTries; ++tries) {
    if (!has_listener(socket)) return false;
    poll(nullptr, 0, kPauseMs);
  }
  return has_listener(socket);
}

// We hold the lock of our state folder, so the other controller has another folder with the same path, for example in a container.
Status taken_socket(const WirePaths& paths) {
  return Status(Code::failed_precondition,
                "another controller already serves " + paths.socket + " for a folder that is also called " +
                    paths.state +
                    ", probably in another container with the same /tmp; set MUSTER_STATE_DIR to another path");
}

}  // namespace

int serve_main(const CallerContext& caller) {
  const Result<ControllerSettings> settings = controller_settings(caller);
  if (!settings.ok()) return refuse(settings.status());
  const Result<WirePaths> paths = wire_paths(caller);
  if (!paths.ok()) return refuse(paths.status());
  Result<StateLock> lock = StateLock::take(paths->state);
  if (!lock.ok()) return refuse(lock.status());
  if (listens_elsewhere(paths->socket)) return refuse(taken_socket(*paths));
  std::signal(SIGHUP, SIG_IGN);
  use_all_cpus();
  raise_soft_limits();
  remove_stale_sockets(paths->runtime);
  AsioLoop loop;
  HostingChoice choice{paths->state, paths->socket, false, settings->idle, settings->idle_with_warm_agents};
  choice.retention = settings->retention;
  choice.lock = &*lock;
  Result<std::unique_ptr<Hosting>> hosting = Hosting::open(caller, loop, choice, [&loop] { loop.stop(); });
  if (!hosting.ok()) return refuse(hosting.status());
  // Jobs continue: their agents wait for the next controller.
  for (const int number : {SIGTERM, SIGINT}) loop.on_signal(number, [&loop] { loop.stop(); });
  loop.run();
  hosting = Status(Code::cancelled, "left");
  remove_stale_sockets(paths->runtime);
  return 0;
}

}  // namespace muster
