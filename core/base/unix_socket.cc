// SPDX-License-Identifier: Apache-2.0
#include "core/base/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

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

// bind(2) gives the file the mode of the socket's inode, less the umask (unix_bind in the kernel). So fchmod(2) before it.
int listen_unix(const std::string& path, int backlog) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const std::string fresh = unbound_name(path);
  unlink(fresh.c_str());
  const bool bound = fchmod(fd, 0600) == 0 && bind_unix(fd, fresh) == 0;
  if (bound && listen(fd, backlog) == 0 && rename(fresh.c_str(), path.c_str()) == 0) return fd;
  const int error = errno;
  if (bound) unlink(fresh.c_str());
  close(fd);
  errno = error;
  return -1;
}

Status check_socket_path(const std::string& path) {
  const size_t longest = sizeof(sockaddr_un{}.sun_path) - 1 - unbound_name("").size();
  if (path.size() <= longest) return Status();
  return Status(Code::invalid_argument, "the socket path " + path + " has " + std::to_string(path.size()) +
                                            " bytes; it can have at most " + std::to_string(longest));
}

bool has_listener(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return true;  // not known
  const bool refused = connect_unix(fd, path) != 0 && (errno == ECONNREFUSED || errno == ENOENT);
  close(fd);
  return !refused;
}

FileMark mark_of(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 ? FileMark{info.st_dev, info.st_ino} : FileMark();
}

}  // namespace muster
