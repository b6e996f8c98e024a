// SPDX-License-Identifier: Apache-2.0
// bind and connect for Unix sockets with a path (unix(7)).
#pragma once

#include <string_view>

namespace muster {

// As bind(2) and connect(2): 0, or -1 with errno. ENAMETOOLONG: the path is too long for a socket. ENOENT: it is empty.
int bind_unix(int socket, std::string_view path);
int connect_unix(int socket, std::string_view path);

}  // namespace muster
