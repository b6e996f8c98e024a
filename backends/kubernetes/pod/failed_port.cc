// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/failed_port.h"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace muster::pod {

Result<std::unique_ptr<FailedPort>> FailedPort::open(FdLoop& loop, const std::string& address, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const char* host = address.empty() ? "0.0.0.0" : address.c_str();
  if (const int error = getaddrinfo(host, std::to_string(port).c_str(), &hints, &found); error != 0)
    return Status(Code::invalid_argument, address + ": " + gai_strerror(error));
  UniqueFd listener(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  const bool listens = listener.valid() && setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       bind(listener.get(), found->ai_addr, found->ai_addrlen) == 0 &&
                       listen(listener.get(), SOMAXCONN) == 0;
  const int error = errno;
  freeaddrinfo(found);
  if (!listens) return errno_status(error, "listen on port " + std::to_string(port));
  return std::unique_ptr<FailedPort>(new FailedPort(loop, std::move(listener)));
}

FailedPort::FailedPort(FdLoop& loop, UniqueFd listener) : loop_(loop), listener_(std::move(listener)) {
  watch_ = loop.watch_readable(listener_.get(), [this] { accept_connection(); });
}

void FailedPort::accept_connection() {
  connections_.remove_if([](const Connection& connection) { return connection.gone; });
  UniqueFd stream(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!stream.valid()) return;
  if (connections_.size() >= most_connections) connections_.pop_front();
  Connection& connection = connections_.emplace_back(Connection{std::move(stream), nullptr});
  connection.watch = loop_.watch_readable(connection.stream.get(), [this, &connection] { read_request(connection); });
}

// The request's content is ignored; it fits into one segment.
void FailedPort::read_request(Connection& connection) {
  std::array<char, 4096> request{};
  const ssize_t length = recv(connection.stream.get(), request.data(), request.size(), MSG_DONTWAIT);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) return close_connection(connection);
  connection.asked = true;
  if (failed_) answer(connection);
}

void FailedPort::tell() {
  failed_ = true;
  for (Connection& connection : connections_)
    if (connection.asked && !connection.gone) answer(connection);
}

void FailedPort::answer(Connection& connection) {
  constexpr std::string_view kYes =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\nConnection: close\r\n\r\nfailed\n";
  send(connection.stream.get(), kYes.data(), kYes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  close_connection(connection);
}

// The list item is removed later, in accept_connection(): this may run in its own handler.
void FailedPort::close_connection(Connection& connection) {
  connection.watch.reset();
  connection.stream = UniqueFd();
  connection.gone = true;
}

}  // namespace muster::pod
