// SPDX-License-Identifier: Apache-2.0
#include "core/base/unix_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

namespace muster {
namespace {

template <typename Call>
int with_address(Call call, int socket, std::string_view path) {
  sockaddr_un address{};
  // An empty path would be an abstract address.
  if (path.empty()) return errno = ENOENT, -1;
  if (path.size() >= sizeof address.sun_path) return errno = ENAMETOOLONG, -1;
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  return call(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

}  // namespace

int bind_unix(int socket, std::string_view path) { return with_address(bind, socket, path); }

int connect_unix(int socket, std::string_view path) { return with_address(connect, socket, path); }

}  // namespace muster
