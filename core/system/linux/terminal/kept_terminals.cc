// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/terminal/kept_terminals.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/system/posix/pass_descriptor.h"

namespace muster {

KeptTerminals::KeptTerminals() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return;
  in_ = UniqueFd(ends[0]);
  out_ = UniqueFd(ends[1]);
}

uint64_t KeptTerminals::keep(int terminal, int output) {
  put(++last_, terminal, output);
  return last_;
}

void KeptTerminals::put(uint64_t number, int terminal, int output) {
  const std::array<int, 2> passed{terminal, output};
  std::array<char, sizeof number> bytes{};
  std::memcpy(bytes.data(), &number, sizeof number);
  send_with_descriptors(in_.get(), {bytes.data(), bytes.size()}, passed);
}

bool KeptTerminals::take(Kept& kept) {
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  iovec part{&kept.number, sizeof kept.number};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(out_.get(), &message, MSG_CMSG_CLOEXEC) <= 0) return false;
  std::array<int, 2> passed{-1, -1};
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_len == CMSG_LEN(sizeof passed))
    std::memcpy(passed.data(), CMSG_DATA(header), sizeof passed);
  kept.terminal = UniqueFd(passed[0]);
  kept.output = UniqueFd(passed[1]);
  return true;
}

void KeptTerminals::drop(uint64_t number) {
  std::vector<Kept> others;
  for (Kept kept; take(kept);) {
    if (kept.number != number) others.push_back(std::move(kept));
  }
  for (const Kept& kept : others) put(kept.number, kept.terminal.get(), kept.output.get());
}

void KeptTerminals::drain() {
  char buffer[16384];
  for (Kept kept; take(kept);) {
    ssize_t got = 0;
    while ((got = read(kept.terminal.get(), buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {
      for (std::string_view left(buffer, got > 0 ? static_cast<size_t>(got) : 0); !left.empty();) {
        const ssize_t written = write(kept.output.get(), left.data(), left.size());
        if (written < 0 && errno != EINTR) return;  // the disk is full
        if (written > 0) left.remove_prefix(static_cast<size_t>(written));
      }
    }
  }
}

}  // namespace muster
