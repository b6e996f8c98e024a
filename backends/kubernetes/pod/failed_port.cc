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
  guests_.remove_if([](const Guest& guest) { return guest.gone; });
  UniqueFd stream(accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!stream.valid()) return;
  if (guests_.size() >= most_guests) guests_.pop_front();
  Guest& guest = guests_.emplace_back(Guest{std::move(stream), nullptr});
  guest.watch = loop_.watch_readable(guest.stream.get(), [this, &guest] { hear(guest); });
}

// What it says matters to nobody, as long as it speaks: a request fits into one segment.
void FailedPort::hear(Guest& guest) {
  std::array<char, 4096> request{};
  const ssize_t length = recv(guest.stream.get(), request.data(), request.size(), MSG_DONTWAIT);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) return leave(guest);
  guest.asked = true;
  if (told_) answer(guest);
}

void FailedPort::tell() {
  told_ = true;
  for (Guest& guest : guests_)
    if (guest.asked && !guest.gone) answer(guest);
}

void FailedPort::answer(Guest& guest) {
  constexpr std::string_view kYes =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\nConnection: close\r\n\r\nfailed\n";
  send(guest.stream.get(), kYes.data(), kYes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  leave(guest);
}

// Its place is kept until the next comes: this may be its own handler.
void FailedPort::leave(Guest& guest) {
  guest.watch.reset();
  guest.stream = UniqueFd();
  guest.gone = true;
}

}  // namespace muster::pod
