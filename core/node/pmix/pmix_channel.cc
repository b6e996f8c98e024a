// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmix/pmix_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <cstring>

#include "core/base/unix_socket.h"

namespace muster {
namespace {

Status refused(const std::string& what) { return Status(Code::unavailable, what + ": " + std::strerror(errno)); }

}  // namespace

Result<std::unique_ptr<PmixChannel>> PmixChannel::listen(FdLoop& loop, const std::string& path, Heard heard) {
  std::unique_ptr<PmixChannel> channel(new PmixChannel(loop, std::move(heard)));
  channel->listener_ = UniqueFd(listen_unix(path, 1));
  if (!channel->listener_.valid()) return refused(path);
  channel->watch_ = loop.watch_readable(channel->listener_.get(), [at = channel.get()] { at->accept(); });
  if (!channel->watch_) return refused(path);
  return channel;
}

void PmixChannel::expect(int64_t pid, const PmixFields& first) {
  pid_ = pid;
  unsent_ = pmix_message(first);
}

void PmixChannel::accept() {
  UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  ucred peer{};
  socklen_t size = sizeof peer;
  if (!connection.valid() || getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
  if (peer.pid != pid_) return;
  connection_ = std::move(connection);
  writing_ = UniqueFd(fcntl(connection_.get(), F_DUPFD_CLOEXEC, 0));
  watch_ = loop_.watch_readable(connection_.get(), [this] { readable(); });
  listener_.reset();
  write();
}

void PmixChannel::readable() {
  const auto alive = alive_;
  const Heard heard = heard_;
  char bytes[1 << 16];
  while (true) {
    const ssize_t size = recv(connection_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size == 0 || (size < 0 && errno != EAGAIN)) watch_.reset();  // its owner is told of the helper's end
    if (size <= 0) break;
    received_.append(bytes, static_cast<size_t>(size));
  }
  while (const auto message = take_pmix_message(received_)) {
    heard(*message);
    if (!*alive) return;
  }
}

void PmixChannel::send(const PmixFields& message) {
  unsent_ += pmix_message(message);
  if (!writable_) write();
}

void PmixChannel::write() {
  writable_.reset();
  while (!unsent_.empty() && writing_.valid()) {
    const ssize_t sent = ::send(writing_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) {
      writable_ = loop_.watch_writable(writing_.get(), [this] { write(); });
      return;
    }
    if (sent <= 0) return unsent_.clear();
    unsent_.erase(0, static_cast<size_t>(sent));
  }
}

}  // namespace muster
