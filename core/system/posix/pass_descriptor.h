// SPDX-License-Identifier: Apache-2.0
// Sends bytes and file descriptors over a UNIX socket (SCM_RIGHTS, unix(7)). Any thread.
#pragma once

#include <sys/socket.h>

#include <cstring>
#include <span>
#include <string_view>

namespace muster {

// Returns the number of bytes sent, or -1 with errno set. The passed descriptors, three at most, are not closed. Never raises SIGPIPE.
inline ssize_t send_with_descriptors(int socket, std::string_view bytes, std::span<const int> passed) {
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!passed.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(passed.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(passed.size_bytes());
    std::memcpy(CMSG_DATA(header), passed.data(), passed.size_bytes());
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

// The same for one descriptor; -1: none.
inline ssize_t send_with_descriptor(int socket, std::string_view bytes, int passed) {
  return send_with_descriptors(socket, bytes, std::span<const int>(&passed, passed >= 0 ? 1 : 0));
}

}  // namespace muster
