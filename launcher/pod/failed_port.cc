#include "launcher/pod/failed_port.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>

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

FailedPort::FailedPort(FdLoop& loop, UniqueFd door) : door_(std::move(door)) {
  watch_ = loop.watch_readable(door_.get(), [this] { UniqueFd(accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC)); });
}

}  // namespace muster::pod
