// Sockets with a name in the file system (unix(7)).
#pragma once

#include <string_view>

namespace muster {

// As bind(2) and connect(2): 0, or -1 with errno; ENAMETOOLONG where the system allows no such path, ENOENT for an empty one.
int bind_unix(int socket, std::string_view path);
int connect_unix(int socket, std::string_view path);

}  // namespace muster
