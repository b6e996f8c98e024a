// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_parent.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "core/base/private_file.h"
#include "core/base/unix_socket.h"
#include "core/system/posix/pass_descriptor.h"

namespace muster {
namespace {

constexpr int kForkPatienceMs = 5000;
constexpr size_t kSpace = 4000;  // bytes for variables that only a rank's environment has (warm_rank.py, _Area)

Status refused(const std::string& what) { return Status(Code::unavailable, what + ": " + std::strerror(errno)); }

// A send to the parent must not block the agent for ever.
void bound_sends(int fd) {
  const timeval patience{kForkPatienceMs / 1000, 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

bool send_with(int channel, const std::string& bytes, int passed) {
  ssize_t sent = send_with_descriptor(channel, bytes, passed);
  for (size_t at = 0; sent > 0 && (at += static_cast<size_t>(sent)) < bytes.size();) {
    sent = send(channel, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
  }
  return sent > 0;
}

// The rank's answer on its own socket; "": none within kForkPatienceMs.
std::string receive_answer(int gate) {
  pollfd waiting{gate, POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&waiting, 1, kForkPatienceMs)) < 0 && errno == EINTR) continue;
  char text[512];
  const ssize_t size = ready > 0 ? recv(gate, text, sizeof text, MSG_DONTWAIT) : 0;
  return size > 0 ? std::string(text, static_cast<size_t>(size)) : "";
}

}  // namespace

// The message that _pass_gate() of warm_rank.py reads: "g", and the number of each descriptor that comes with it.
void open_gate(const ForkedRank& rank, const std::array<int, 3>& stdio) {
  std::string text = "g";
  std::vector<int> passed;
  for (size_t number = 0; number < stdio.size(); ++number) {
    if (stdio[number] < 0) continue;
    text += std::to_string(number);
    passed.push_back(stdio[number]);
  }
  send_with_descriptors(rank.gate.get(), text, passed);
}

WarmParent::WarmParent(FdLoop& loop, ProcessHost& host, const std::string& folder)
    : loop_(loop),
      host_(host),
      folder_(folder) {}

WarmParent::~WarmParent() {
  *alive_ = false;
  if (process_ != 0 && !ended_) host_.signal(process_, SIGKILL, SignalReach::group);
}

Result<std::unique_ptr<WarmParent>> WarmParent::start(FdLoop& loop, ProcessHost& host, SpawnRequest request,
                                                      const std::string& folder) {
  std::unique_ptr<WarmParent> parent(new WarmParent(loop, host, folder));
  if (const Status listening = parent->listen(); !listening.ok()) return listening;
  if (const Status executed = parent->execute(std::move(request)); !executed.ok()) return executed;
  return parent;
}

Status WarmParent::listen() {
  const std::string path = folder_ + "/socket";
  listener_ = UniqueFd(listen_unix(path, 1));
  if (!listener_.valid()) return refused(path);
  watch_ = loop_.watch_readable(listener_.get(), [this] { accept(); });
  return watch_ ? Status() : refused(path);
}

Status WarmParent::execute(SpawnRequest request) {
  argv_ = request.argv;
  std::string path = folder_;
  for (std::string& entry : request.environment) {
    if (!entry.starts_with("PYTHONPATH=")) continue;
    const std::string theirs = entry.substr(std::strlen("PYTHONPATH="));
    if (!theirs.empty()) path += ":" + theirs;  // nothing after a colon would be the working folder
    std::swap(entry, request.environment.back());
    request.environment.pop_back();
    break;
  }
  request.environment.push_back("PYTHONPATH=" + path);
  request.environment.push_back("MUSTER_WARM_SOCKET=" + folder_ + "/socket");
  request.environment.push_back("MUSTER_WARM_SPACE=" + std::string(kSpace, ' '));
  request.own_session = true;
  request.stdout_path = folder_ + "/stdout";
  request.stderr_path = folder_ + "/stderr";
  for (const std::string& output : {request.stdout_path, request.stderr_path}) {
    unlink(output.c_str());
    make_private_file(output);
  }
  auto started = host_.spawn(request, [this, alive = alive_](const ExitStatus&) {
    if (!*alive) return;
    ended_ = true;
    lose();
  });
  if (!started.ok()) return started.status();
  process_ = *started;
  return Status();
}

// Accepts only the process that this object started.
void WarmParent::accept() {
  UniqueFd channel(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ucred peer{};
  socklen_t size = sizeof peer;
  if (!channel.valid() || getsockopt(channel.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
  if (peer.pid != host_.identity(process_).pid) return;
  bound_sends(channel.get());
  channel_ = std::move(channel);
  watch_ = loop_.watch_readable(channel_.get(), [this] { readable(); });
  listener_.reset();
  if (!watch_) lose();
}

void WarmParent::readable() {
  char bytes[1 << 14];
  const ssize_t size = recv(channel_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return lose();
  if (size > 0) received_.append(bytes, static_cast<size_t>(size));
  const auto alive = alive_;
  while (*alive) {
    const auto fields = take_message(received_);
    if (!fields) return;
    heard(*fields);
  }
}

void WarmParent::heard(const std::vector<std::string>& fields) {
  if (!fields.empty() && fields[0] == "hello") {
    // A wrapper script may have chosen another interpreter or other arguments; such a process is not used.
    if (!std::equal(argv_.begin(), argv_.end(), fields.begin() + 1, fields.end())) return lose();
    return send_next();
  }
  if (!asked_ || questions_.empty()) return;
  const Answered answered = std::move(questions_.front().answered);
  questions_.pop_front();
  asked_ = false;
  const auto alive = alive_;
  answered(fields);
  if (*alive) send_next();
}

void WarmParent::ask(const WarmMessage& order, Answered answered) {
  questions_.push_back({order.bytes(), std::move(answered)});
  if (ended_ || (questions_.size() == 1 && channel_.valid())) {
    loop_.post([this, alive = alive_] {
      if (*alive) ended_ ? lose() : send_next();
    });
  }
}

void WarmParent::send_next() {
  if (asked_ || questions_.empty() || !channel_.valid()) return;
  asked_ = true;
  if (!send_with(channel_.get(), questions_.front().order, -1)) lose();
}

// The parent has ended: all open questions get an empty answer.
void WarmParent::lose() {
  ended_ = ended_ || !channel_.valid();
  watch_.reset();
  channel_.reset();
  listener_.reset();
  const auto alive = alive_;
  for (std::deque<Question> unanswered = std::move(questions_); *alive && !unanswered.empty(); unanswered.pop_front()) {
    questions_.clear();
    unanswered.front().answered({});
  }
}

Result<ForkedRank> WarmParent::fork(const WarmMessage& order) {
  int pair[2];
  if (!idle()) return Status(Code::unavailable, "the warm parent is not ready");
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return refused("cannot create a socket for a rank");
  ForkedRank rank{0, UniqueFd(pair[0])};
  UniqueFd theirs(pair[1]);
  if (!send_with(channel_.get(), order.bytes(), theirs.get())) return refused("cannot send to the warm parent");
  theirs.reset();
  const std::string said = receive_answer(rank.gate.get());
  if (!said.starts_with("ready "))
    return Status(Code::unavailable, said.empty() ? "the warm parent did not answer within 5 s" : said);
  rank.pid = static_cast<pid_t>(std::strtol(said.c_str() + std::strlen("ready "), nullptr, 10));
  return rank;
}

}  // namespace muster
