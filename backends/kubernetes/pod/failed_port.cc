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
  UniqueFd door(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  const bool listens = door.valid() && setsockopt(door.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       bind(door.get(), found->ai_addr, found->ai_addrlen) == 0 && listen(door.get(), SOMAXCONN) == 0;
  const int error = errno;
  freeaddrinfo(found);
  if (!listens) return errno_status(error, "listen at port " + std::to_string(port));
  return std::unique_ptr<FailedPort>(new FailedPort(loop, std::move(door)));
}

FailedPort::FailedPort(FdLoop& loop, UniqueFd door) : loop_(loop), door_(std::move(door)) {
  watch_ = loop.watch_readable(door_.get(), [this] { let_in(); });
}

void FailedPort::let_in() {
  execs_.remove_if([](const Exec& exec) { return exec.gone; });
  UniqueFd stream(accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!stream.valid()) return;
  if (execs_.size() >= most_execs) execs_.pop_front();
  Exec& exec = execs_.emplace_back(Exec{std::move(stream), nullptr});
  exec.watch = loop_.watch_readable(exec.stream.get(), [this, &exec] { hear(exec); });
}

// What it says matters to nobody, as long as it speaks: a request fits into one segment.
void FailedPort::hear(Exec& exec) {
  std::array<char, 4096> request{};
  const ssize_t length = recv(exec.stream.get(), request.data(), request.size(), MSG_DONTWAIT);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) return leave(exec);
  exec.asked = true;
  if (told_) answer(exec);
}

void FailedPort::tell() {
  told_ = true;
  for (Exec& exec : execs_)
    if (exec.asked && !exec.gone) answer(exec);
}

void FailedPort::answer(Exec& exec) {
  constexpr std::string_view kYes =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\nConnection: close\r\n\r\nfailed\n";
  send(exec.stream.get(), kYes.data(), kYes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  leave(exec);
}

// Its place is kept until the next comes: this may be its own handler.
void FailedPort::leave(Exec& exec) {
  exec.watch.reset();
  exec.stream = UniqueFd();
  exec.gone = true;
}

}  // namespace muster::pod
