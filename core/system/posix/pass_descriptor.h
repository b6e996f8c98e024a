// SPDX-License-Identifier: Apache-2.0
// send_with_descriptor: sends bytes and a file descriptor over a UNIX socket (SCM_RIGHTS, unix(7)). Any thread.
#pragma once

#include <sys/socket.h>

#include <cstring>
#include <string_view>

namespace muster {

// Returns the number of bytes sent, or -1 with errno set. `passed` is not closed; -1: no descriptor. Never raises SIGPIPE.
inline ssize_t send_with_descriptor(int socket, std::string_view bytes, int passed) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (passed >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &passed, sizeof passed);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

}  // namespace muster
