// SPDX-License-Identifier: Apache-2.0
#include "core/worker/client/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include "core/base/unix_socket.h"

namespace muster::worker {
namespace {

constexpr size_t kHeader = 4;
constexpr size_t kUsualAnswer = 4096;
// Longer than an agent needs for an answer when it is awake.
constexpr Duration kPollTime = std::chrono::microseconds(20);

// The timeout argument of poll(2).
int in_milliseconds(Duration time) {
  return static_cast<int>(std::clamp<int64_t>(std::chrono::ceil<std::chrono::milliseconds>(time).count(), 0, 1 << 30));
}

Status gone(const std::string& how) {
  return Status(Code::unavailable, "the agent of this node " + how + "; the rank cannot continue without it");
}

}  // namespace

Result<Connection> Connection::open(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno_status(errno, "cannot create a socket to the agent of this node");
  Connection connection(fd);
  if (connect_unix(fd, path) == 0) return connection;
  const int error = errno;
  if (path.empty() || error == ENAMETOOLONG)
    return Status(Code::invalid_argument, "MUSTER_SOCKET is not a valid socket path: " + path);
  if (error == ECONNREFUSED || error == ENOENT)
    return gone("does not answer at " + path + " (" + std::strerror(error) + ")");
  return errno_status(error, "the agent's socket " + path);
}

Connection::~Connection() {
  if (fd_ >= 0) close(fd_);
}

void Connection::interrupt() { shutdown(fd_, SHUT_RDWR); }

Status Connection::send_all(std::string_view bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return gone(std::string("closed its socket (") + std::strerror(errno) + ")");
    sent += static_cast<size_t>(now);
  }
  return Status();
}

size_t Connection::poll_briefly(char* bytes, size_t most) {
  for (const auto until = Clock::now() + kPollTime; Clock::now() < until;) {
    const ssize_t now = recv(fd_, bytes, most, MSG_DONTWAIT);
    if (now >= 0 || errno != EAGAIN) return static_cast<size_t>(std::max<ssize_t>(now, 0));
  }
  return 0;
}

// The clock is read only if one wait was not enough. That is rare, and reading it takes a good part of a short call.
Result<size_t> Connection::receive(char* bytes, size_t least, size_t most, Duration patience) {
  std::optional<Clock::time_point> deadline;
  size_t got = 0;
  for (bool again = false; got < least; again = true) {
    if (patience > Duration(0)) {
      if (again && !deadline) deadline = Clock::now() + patience;
      pollfd waiting{fd_, POLLIN, 0};
      const int ready = poll(&waiting, 1, in_milliseconds(deadline ? *deadline - Clock::now() : patience));
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) return Status(Code::deadline_exceeded, "the agent of this node does not answer");
    }
    const ssize_t now = read(fd_, bytes + got, most - got);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return gone("closed its socket (it has ended, or is older than this library)");
    got += static_cast<size_t>(now);
  }
  return got;
}

Result<Reply> Connection::call(const std::string& frame, Duration patience, bool polls) {
  if (const Status sent = send_all(frame); !sent.ok()) return sent;
  char start[kUsualAnswer];
  return answer(start, polls ? poll_briefly(start, sizeof start) : 0, patience);
}

// Nearly every answer arrives completely with the first read.
Result<Reply> Connection::answer(char* start, size_t got, Duration patience) {
  if (got < kHeader) {
    const Result<size_t> more = receive(start + got, kHeader - got, kUsualAnswer - got, patience);
    if (!more.ok()) return more.status();
    got += *more;
  }
  size_t length = 0;
  for (size_t i = 0; i < kHeader; ++i) length |= static_cast<size_t>(static_cast<unsigned char>(start[i])) << (8 * i);
  // The answer of a fence is the longest; core/machine/rendezvous limits it.
  if (length > 2 * kLongestFrame)
    return Status(Code::data_loss, "the agent's answer exceeds the length that the protocol allows");
  const std::string_view begun(start + kHeader, got - kHeader);
  if (begun.size() > length) return Status(Code::data_loss, "the agent sent more than one answer");
  if (begun.size() == length) return read_reply(begun);
  std::string reply(length, '\0');
  begun.copy(reply.data(), begun.size());
  const size_t rest = length - begun.size();
  if (const Result<size_t> more = receive(reply.data() + begun.size(), rest, rest, patience); !more.ok())
    return more.status();
  return read_reply(reply);
}

}  // namespace muster::worker
