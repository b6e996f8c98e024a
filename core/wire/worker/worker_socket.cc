// SPDX-License-Identifier: Apache-2.0
#include "core/wire/worker/worker_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/base/text.h"
#include "core/base/unix_socket.h"
#include "core/wire/values/convert.h"
#include "core/wire/worker/worker_connection.h"

namespace muster {
namespace {

constexpr size_t kMostConnections = 4096;
constexpr int kBacklog = 512;
constexpr size_t kMostHeld = 128 << 20;
constexpr size_t kSpare = 8 << 10;  // a buffer keeps so much for the next frame

uint32_t length_of(const std::string& bytes) {
  uint32_t length = 0;
  for (size_t i = 0; i < kHeader; ++i) length |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return length;
}

void shrink(std::string& buffer) {
  if (buffer.capacity() > kSpare && buffer.size() < buffer.capacity() / 2) buffer.shrink_to_fit();
}

int64_t peer_pid(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

}  // namespace

WorkerSocket::WorkerSocket(FdLoop& loop, std::string path) : loop_(loop), path_(std::move(path)) { restore(); }

WorkerSocket::~WorkerSocket() {
  *alive_ = false;
  watch_.reset();
  grpc_.reset();
  connections_.clear();
  if (here()) unlink(path_.c_str());
}

void WorkerSocket::listen(OnCall on_call, OnTrouble on_trouble) {
  on_call_ = std::move(on_call);
  on_trouble_ = std::move(on_trouble);
  if (!missing_.empty()) tell(missing_);
}

bool WorkerSocket::here() const { return listener_.valid() && mark_of(path_) == mark_; }

void WorkerSocket::restore() {
  if (here()) return;
  UniqueFd fresh(listen_unix(path_, kBacklog));
  if (!fresh.valid()) return miss(errno);
  watch_.reset();
  listener_ = std::move(fresh);
  mark_ = mark_of(path_);
  missing_.clear();
  watch_ = loop_.watch_readable(listener_.get(), [this] { accept(); });
}

void WorkerSocket::miss(int error) {
  const Status path = check_socket_path(path_);
  const std::string why = path.ok() ? errno_status(error, "listen at " + path_).message() : path.message();
  const std::string what = std::string(kNoRankSocket) + ": " + why;
  if (std::exchange(missing_, what).empty()) tell(what);
}

void WorkerSocket::tell(const std::string& what) {
  if (!on_trouble_) return;  // listen() tells what is missing
  loop_.post([this, alive = alive_, what] {
    if (*alive) on_trouble_(what);
  });
}

void WorkerSocket::remove_beside(const std::string& path) {
  if (path.substr(0, path.rfind('/')) == path_.substr(0, path_.rfind('/'))) unlink(path.c_str());
}

void WorkerSocket::accept() {
  const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0 && (errno == EMFILE || errno == ENFILE)) return accept_later();
  if (fd < 0) return;
  if (connections_.size() >= kMostConnections) {
    close(fd);
    return;
  }
  const uint64_t number = next_++;
  auto connection = std::make_unique<Connection>();
  connection->number = number;
  connection->fd = fd;
  connection->reading = loop_.watch_readable(fd, [this, it = connection.get()] { readable(*it); });
  if (connection->reading) connections_[number] = std::move(connection);
}

// Without a free descriptor the connection stays in the listen queue, and the socket would stay readable. So wait a while.
void WorkerSocket::accept_later() {
  watch_.reset();
  loop_.at(loop_.now() + std::chrono::milliseconds(100), [this, alive = alive_] {
    if (*alive && listener_.valid()) watch_ = loop_.watch_readable(listener_.get(), [this] { accept(); });
  });
}

void WorkerSocket::readable(Connection& connection) {
  if (connection.is_new && wants_grpc(connection.fd)) return hand_over(connection);
  connection.is_new = false;
  char buffer[64 * 1024];
  const ssize_t got = read(connection.fd, buffer, sizeof buffer);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return drop(connection);
  connection.in.append(buffer, static_cast<size_t>(got));
  // Limits what a client can send while its call waits for an answer.
  if (connection.in.size() > kHeader + kLongestFrame) return drop(connection);
  if (count(connection)) take_frame(connection);
}

// No frame begins with gRPC's preface: as a length it would exceed every limit.
bool WorkerSocket::wants_grpc(int fd) const {
  char first[kHttp2Preface.size()];
  const ssize_t got = recv(fd, first, sizeof first, MSG_PEEK);
  return on_call_ && got == static_cast<ssize_t>(sizeof first) &&
         std::string_view(first, sizeof first) == kHttp2Preface;
}

void WorkerSocket::hand_over(Connection& connection) {
  if (!grpc_) grpc_ = std::make_unique<WorkerGrpc>(loop_, on_call_, on_exec_);
  connection.reading.reset();
  grpc_->take(std::exchange(connection.fd, -1));
  drop(connection);
}

void WorkerSocket::take_frame(Connection& connection) {
  if (connection.busy || connection.in.size() < kHeader) return;
  const uint32_t length = length_of(connection.in);
  if (length > kLongestFrame) return drop(connection);
  if (connection.in.size() < kHeader + length) return;
  const std::string_view message(connection.in.data() + kHeader, length);
  ParsedCall parsed = parse_call(message);
  connection.in.erase(0, kHeader + length);
  shrink(connection.in);
  if (!count(connection)) return;
  if (!parsed.valid || !on_call_) return drop(connection);
  connection.busy = true;
  if (!parsed.trouble.ok()) return reply(connection, cannot_answer(parsed.trouble));
  on_call_(std::move(parsed.call), [this, alive = alive_, number = connection.number](const WorkerAnswer& answer) {
    if (Connection* asking = *alive ? find(number) : nullptr) reply(*asking, answer);
  });
}

void WorkerSocket::reply(Connection& connection, const WorkerAnswer& answer) {
  append_frame(connection.out, to_wire(answer));
  connection.busy = false;
  if (count(connection)) flush(connection);
}

void WorkerSocket::flush(Connection& connection) {
  const ssize_t sent = send(connection.fd, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return drop(connection);
  if (sent > 0) connection.out.erase(0, static_cast<size_t>(sent));
  if (connection.out.empty()) {
    shrink(connection.out);
    count(connection);
    connection.writing.reset();
    connection.write_fd.reset();
    return go_on_later(connection);
  }
  if (!connection.writing) flush_later(connection);
}

// A descriptor can be watched only once, and this one is watched for reading. So a duplicate is watched for writing.
void WorkerSocket::flush_later(Connection& connection) {
  connection.write_fd = UniqueFd(fcntl(connection.fd, F_DUPFD_CLOEXEC, 0));
  if (connection.write_fd.valid())
    connection.writing = loop_.watch_writable(connection.write_fd.get(), [this, &connection] { flush(connection); });
  if (!connection.writing) drop(connection);
}

void WorkerSocket::go_on_later(const Connection& connection) {
  if (connection.in.size() < kHeader) return;
  loop_.post([this, alive = alive_, number = connection.number] {
    if (Connection* more = *alive ? find(number) : nullptr) take_frame(*more);
  });
}

void WorkerSocket::drop(const Connection& connection) {
  held_ -= connection.counted;
  connections_.erase(connection.number);
}

bool WorkerSocket::count(Connection& connection) {
  held_ += connection.held() - connection.counted;
  connection.counted = connection.held();
  const uint64_t number = connection.number;
  while (held_ > kMostHeld) close_largest();
  return find(number) != nullptr;
}

void WorkerSocket::close_largest() {
  const auto largest =
      std::max_element(connections_.begin(), connections_.end(),
                       [](const auto& one, const auto& other) { return one.second->counted < other.second->counted; });
  const std::string what = "process " + std::to_string(peer_pid(largest->second->fd)) +
                           " was disconnected from its agent: unfinished messages of the ranks take more than " +
                           humane_size(kMostHeld);
  drop(*largest->second);
  tell(what);
}

WorkerSocket::Connection* WorkerSocket::find(uint64_t number) const {
  const auto found = connections_.find(number);
  return found == connections_.end() ? nullptr : found->second.get();
}

}  // namespace muster
