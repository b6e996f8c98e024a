// SPDX-License-Identifier: Apache-2.0
#include "core/wire/worker/worker_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/unix_socket.h"
#include "core/wire/values/convert.h"
#include "core/wire/worker/worker_connection.h"

namespace muster {
namespace {

constexpr size_t kMostConnections = 4096;
constexpr int kBacklog = 512;

int listening_socket(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const mode_t before = umask(0177);
  const bool bound = bind_unix(fd, path) == 0;
  umask(before);
  if (bound && ::listen(fd, kBacklog) == 0) return fd;
  close(fd);
  return -1;
}

uint32_t length_of(const std::string& bytes) {
  uint32_t length = 0;
  for (size_t i = 0; i < kHeader; ++i) length |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return length;
}

}  // namespace

WorkerSocket::WorkerSocket(FdLoop& loop, std::string path) : loop_(loop), path_(std::move(path)) {
  fd_ = listening_socket(path_);
  if (fd_ < 0) {
    path_.clear();
    return;
  }
  watch_ = loop_.watch_readable(fd_, [this] { accept(); });
}

WorkerSocket::~WorkerSocket() {
  *alive_ = false;
  watch_.reset();
  grpc_.reset();
  connections_.clear();
  if (fd_ < 0) return;
  close(fd_);
  unlink(path_.c_str());
}

void WorkerSocket::remove_beside(const std::string& path) {
  if (path.substr(0, path.rfind('/')) == path_.substr(0, path_.rfind('/'))) unlink(path.c_str());
}

void WorkerSocket::accept() {
  const int fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
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
    if (*alive) watch_ = loop_.watch_readable(fd_, [this] { accept(); });
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
  take_frame(connection);
}

// No frame begins with gRPC's preface: as a length it would exceed every limit.
bool WorkerSocket::wants_grpc(int fd) const {
  char first[kHttp2Preface.size()];
  const ssize_t got = recv(fd, first, sizeof first, MSG_PEEK);
  return on_call_ && got == static_cast<ssize_t>(sizeof first) &&
         std::string_view(first, sizeof first) == kHttp2Preface;
}

void WorkerSocket::hand_over(Connection& connection) {
  if (!grpc_) grpc_ = std::make_unique<WorkerGrpc>(loop_, on_call_);
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
  flush(connection);
}

void WorkerSocket::flush(Connection& connection) {
  const ssize_t sent = send(connection.fd, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return drop(connection);
  if (sent > 0) connection.out.erase(0, static_cast<size_t>(sent));
  if (connection.out.empty()) {
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

void WorkerSocket::drop(const Connection& connection) { connections_.erase(connection.number); }

WorkerSocket::Connection* WorkerSocket::find(uint64_t number) const {
  const auto found = connections_.find(number);
  return found == connections_.end() ? nullptr : found->second.get();
}

}  // namespace muster
