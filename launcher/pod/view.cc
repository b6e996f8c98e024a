// SPDX-License-Identifier: Apache-2.0
// `muster pod view`: connects a viewer's stream from `kubectl exec` with the controller in this pod.

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "backends/ssh/relay/byte_pump.h"
#include "core/base/unix_socket.h"
#include "core/system/posix/unique_fd.h"
#include "launcher/pod/pod.h"

namespace muster::pod {
namespace {

Result<UniqueFd> connect_to(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid() || connect_unix(socket.get(), path) != 0)
    return errno_status(errno, "no coordinator is running in this pod: " + path);
  return socket;
}

// Copies until one side closes its end; its last bytes are still delivered.
void pump(int socket) {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, socket}) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  ByteFlow in{STDIN_FILENO, socket};
  ByteFlow out{socket, STDOUT_FILENO};
  bool told = false;
  while (!out.refused() && !in.refused() && !(out.ended() && out.empty())) {
    if (in.ended() && in.empty() && !std::exchange(told, true)) shutdown(socket, SHUT_WR);
    pollfd watched[] = {in.reads(), in.writes(), out.reads(), out.writes()};
    if (poll(watched, std::size(watched), -1) < 0 && errno != EINTR) return;
    in.turn(watched[0], watched[1]);
    out.turn(watched[2], watched[3]);
  }
}

}  // namespace

int view_main(const CallerContext& caller) {
  const auto socket = connect_to(pod_place(caller).controller_socket());
  if (!socket.ok()) {
    refuse(socket.status());
    return exit_unreachable;
  }
  pump(socket->get());
  return exit_ok;
}

}  // namespace muster::pod
