// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/bounded_talk.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

namespace muster {
namespace {

using SteadyClock = std::chrono::steady_clock;

bool ready(int fd, short what, const TalkLimits& limits) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limits.end - SteadyClock::now()).count();
  pollfd one{fd, what, 0};
  return left > 0 && poll(&one, 1, static_cast<int>(left)) > 0;
}

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

std::optional<Address> unix_address(const std::string& path) {
  Address address;
  auto* name = reinterpret_cast<sockaddr_un*>(&address.bytes);
  if (path.size() >= sizeof name->sun_path) return std::nullopt;
  name->sun_family = AF_UNIX;
  std::memcpy(name->sun_path, path.c_str(), path.size() + 1);
  address.size = sizeof *name;
  return address;
}

std::optional<Address> tcp_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  uint16_t port = 0;
  if (colon == std::string::npos) return std::nullopt;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, port);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  std::string host = text.substr(0, colon);
  if (host == "localhost") host = "127.0.0.1";
  if (host.starts_with("[") && host.ends_with("]")) host = host.substr(1, host.size() - 2);
  Address address;
  auto* four = reinterpret_cast<sockaddr_in*>(&address.bytes);
  auto* six = reinterpret_cast<sockaddr_in6*>(&address.bytes);
  if (inet_pton(AF_INET, host.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    address.size = sizeof *four;
  } else if (inet_pton(AF_INET6, host.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    address.size = sizeof *six;
  } else {
    return std::nullopt;
  }
  return address;
}

}  // namespace

std::string read_to_end(int from, const TalkLimits& limits) { return read_through(from, "", limits); }

std::string read_through(int from, std::string_view end, const TalkLimits& limits) {
  std::string text;
  char buffer[4096];
  while (text.size() < limits.most_bytes && ready(from, POLLIN, limits)) {
    const ssize_t got = read(from, buffer, std::min(sizeof buffer, limits.most_bytes - text.size()));
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
    if (!end.empty() && text.ends_with(end)) break;
  }
  return text;
}

bool write_whole(int to, std::string_view text, const TalkLimits& limits) {
  while (!text.empty() && ready(to, POLLOUT, limits)) {
    const ssize_t sent = send(to, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent > 0) text.remove_prefix(static_cast<size_t>(sent));
  }
  return text.empty();
}

UniqueFd connect_locally(const std::string& text, const TalkLimits& limits) {
  const std::optional<Address> address = text.starts_with("/") ? unix_address(text) : tcp_address(text);
  if (!address) return {};
  UniqueFd made(socket(address->bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.valid()) return {};
  const int failed = connect(made.get(), reinterpret_cast<const sockaddr*>(&address->bytes), address->size);
  if (failed == 0) return made;
  if (errno != EINPROGRESS || !ready(made.get(), POLLOUT, limits)) return {};
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(made.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? std::move(made) : UniqueFd();
}

}  // namespace muster
