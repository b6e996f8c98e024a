// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/reach_here.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

constexpr uint16_t kFirstPort = 20000;  // of the ports for ranks (MachineLeases)
constexpr uint16_t kLastPort = 27999;
constexpr size_t kMostPeers = 4096;
constexpr int kPatienceMs = 3000;

struct Target {
  sockaddr_storage name{};
  socklen_t length = 0;
};

std::optional<Target> target_of(const std::string& address, uint16_t port) {
  Target made;
  auto* four = reinterpret_cast<sockaddr_in*>(&made.name);
  auto* six = reinterpret_cast<sockaddr_in6*>(&made.name);
  if (inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    made.length = sizeof *four;
  } else if (inet_pton(AF_INET6, address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    made.length = sizeof *six;
  } else {
    return std::nullopt;
  }
  return made;
}

UniqueFd stream_for(const Target& target) {
  return UniqueFd(socket(target.name.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

struct Listener {
  UniqueFd socket;
  uint16_t port = 0;
  std::string trouble;
};

// The kernel completes the connections; they are never accepted.
Listener listen_at(const std::string& address) {
  const uint16_t span = kLastPort - kFirstPort + 1;
  Listener made;
  for (uint16_t i = 0; i < span; ++i) {
    const auto port = static_cast<uint16_t>(kFirstPort + (static_cast<uint32_t>(getpid()) * 7 + i) % span);
    const auto target = target_of(address, port);
    if (!target) return {UniqueFd(), 0, "`" + escaped(address) + "` is not a numeric address"};
    UniqueFd tried = stream_for(*target);
    const bool bound = bind(tried.get(), reinterpret_cast<const sockaddr*>(&target->name), target->length) == 0;
    if (bound && listen(tried.get(), static_cast<int>(kMostPeers)) == 0) return {std::move(tried), port, ""};
    if (errno != EADDRINUSE) return {UniqueFd(), 0, std::strerror(errno)};
  }
  return {UniqueFd(), 0, "all TCP ports 20000-27999 are in use"};
}

struct ReachAttempt {
  UniqueFd socket;
  std::string answer;  // empty: not yet
};

ReachAttempt begin(const std::string& address, uint16_t port) {
  const auto target = target_of(address, port);
  if (!target) return {UniqueFd(), "`" + escaped(address) + "` is not a numeric address"};
  ReachAttempt made{stream_for(*target), ""};
  const int done = connect(made.socket.get(), reinterpret_cast<const sockaddr*>(&target->name), target->length);
  if (done == 0) made.answer = "ok";
  if (done != 0 && errno != EINPROGRESS) made.answer = std::strerror(errno);
  return made;
}

void settle(ReachAttempt& attempt) {
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(attempt.socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  attempt.answer = error == 0 ? "ok" : std::strerror(error);
}

// Waits for all attempts together, with one timeout.
void wait_for_answers(std::vector<ReachAttempt>& attempts) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (true) {
    std::vector<pollfd> open;
    std::vector<ReachAttempt*> whose;
    for (ReachAttempt& each : attempts) {
      if (!each.answer.empty()) continue;
      open.push_back({each.socket.get(), POLLOUT, 0});
      whose.push_back(&each);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (open.empty() || left <= 0) break;
    if (poll(open.data(), open.size(), static_cast<int>(left)) < 0 && errno != EINTR) break;
    for (size_t i = 0; i < open.size(); ++i) {
      if (open[i].revents != 0) settle(*whose[i]);
    }
  }
  for (ReachAttempt& each : attempts) {
    if (each.answer.empty()) each.answer = "no answer within 3 s";
  }
}

class Lines {
 public:
  explicit Lines(int in) : in_(in) {}
  // nullopt: `in` has ended.
  std::optional<std::string> next() {
    std::array<char, 4096> buffer{};
    for (size_t end = text_.find('\n');; end = text_.find('\n')) {
      if (end != std::string::npos) {
        std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return line;
      }
      const ssize_t count = read(in_, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0 || text_.size() > buffer.size()) return std::nullopt;
      text_.append(buffer.data(), static_cast<size_t>(count));
    }
  }

 private:
  int in_;
  std::string text_;
};

void say(int out, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t count = write(out, text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    at += static_cast<size_t>(count);
  }
}

}  // namespace

int reach_here(int in, int out) {
  Lines lines(in);
  const auto at = lines.next();
  if (!at || !at->starts_with("at ")) return 2;
  const Listener listener = listen_at(at->substr(3));
  say(out, listener.port > 0 ? "port " + std::to_string(listener.port) + "\n" : "trouble " + listener.trouble + "\n");
  std::vector<ReachAttempt> attempts;
  for (auto line = lines.next(); line && *line != "go"; line = lines.next()) {
    const std::vector<std::string> words = split(*line, ' ');
    uint16_t port = 0;
    if (words.size() != 3 || words[0] != "peer" || attempts.size() == kMostPeers) return 2;
    std::from_chars(words[2].data(), words[2].data() + words[2].size(), port);
    attempts.push_back(begin(words[1], port));
  }
  wait_for_answers(attempts);
  for (const ReachAttempt& each : attempts) say(out, each.answer + "\n");
  while (lines.next()) continue;
  return 0;
}

}  // namespace muster
