// SPDX-License-Identifier: Apache-2.0
// Unix sockets with a path (unix(7)). Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

// As bind(2) and connect(2): 0, or -1 with errno. ENAMETOOLONG: the path is too long for a socket. ENOENT: it is empty.
int bind_unix(int socket, std::string_view path);
int connect_unix(int socket, std::string_view path);

// Listens at `path` and returns the socket, non-blocking and close-on-exec; -1 with errno. The socket has mode 0600 whatever the
// umask is. It replaces what is at `path`, in one step: a client finds the old socket or one that accepts connections.
int listen_unix(const std::string& path, int backlog);

// The name under which a socket is bound before it gets its path.
inline std::string unbound_name(const std::string& path) { return path + ".new"; }

// invalid_argument: the path is too long for listen_unix().
Status check_socket_path(const std::string& path);

// Whether a process listens at `path`, in any pid namespace. The listener sees a connection that closes at once.
bool has_listener(const std::string& path);

// Identifies the file at a path, so that its removal or replacement can be noticed.
struct FileMark {
  uint64_t device = 0;
  uint64_t inode = 0;  // 0: there is no file
  bool operator==(const FileMark&) const = default;
};
FileMark mark_of(const std::string& path);

}  // namespace muster
