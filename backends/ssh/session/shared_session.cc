// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/shared_session.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "backends/ssh/session/master_words.h"
#include "backends/ssh/session/ssh_words.h"
#include "core/base/unix_socket.h"

namespace muster {
namespace {

using ssh::MasterWord;

constexpr size_t kMostErrors = 16 << 10;
constexpr size_t kMostRequest = 64 << 10;  // it must fit into one send()

UniqueFd connect_to(const std::string& path) {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return fd.valid() && connect_unix(fd.get(), path) == 0 ? std::move(fd) : UniqueFd();
}

// A pair of sockets: our end, which is non-blocking, and the other end.
std::array<UniqueFd, 2> open_pair() {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Sends a descriptor with one byte, as ssh expects it.
bool send_fd(int to, int fd) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  cmsghdr* lent = CMSG_FIRSTHDR(&message);
  lent->cmsg_level = SOL_SOCKET;
  lent->cmsg_type = SCM_RIGHTS;
  lent->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(lent), &fd, sizeof fd);
  return sendmsg(to, &message, MSG_NOSIGNAL) == 1;
}

// Reads available bytes; false: the stream has ended.
bool read_some(int fd, std::string& into) {
  std::array<char, 4096> buffer{};
  const ssize_t length = recv(fd, buffer.data(), buffer.size(), 0);
  if (length < 0) return errno == EAGAIN || errno == EINTR;
  into.append(buffer.data(), static_cast<size_t>(length));
  return length > 0;
}

}  // namespace

std::unique_ptr<SharedSession> SharedSession::begin(FdLoop& loop, const std::string& socket, const std::string& command,
                                                    const std::map<std::string, std::string>& environment,
                                                    Handlers handlers) {
  const std::string request = ssh::session_request(command, environment);
  UniqueFd master = connect_to(socket);
  if (!master.valid() || request.size() > kMostRequest) return nullptr;
  std::unique_ptr<SharedSession> session(new SharedSession(std::move(master), std::move(handlers)));
  if (!session->send_request(request)) return nullptr;
  SharedSession& self = *session;
  self.reads_ = loop.watch_readable(self.master_.get(), [&self] { self.read_answers(); });
  self.reads_errors_ = loop.watch_readable(self.errors_.get(), [&self] { self.read_errors(); });
  return session;
}

// Sends everything at once: the request does not depend on the answers.
bool SharedSession::send_request(const std::string& request) {
  auto [ours, theirs] = open_pair();
  auto [errors, their_errors] = open_pair();
  if (!ours.valid() || !errors.valid()) return false;
  if (send(master_.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
    return false;
  for (const int fd : {theirs.get(), theirs.get(), their_errors.get()})
    if (!send_fd(master_.get(), fd)) return false;
  stream_ = std::move(ours);
  errors_ = std::move(errors);
  end_.code = ssh::kSshFailed;  // until it reports an exit code
  return true;
}

void SharedSession::read_answers() {
  const bool more = read_some(master_.get(), received_);
  while (const std::optional<MasterWord> word = ssh::take_master_word(received_)) {
    if (word->kind == MasterWord::Kind::refused || word->kind == MasterWord::Kind::unknown) return finish(true);
    if (word->kind == MasterWord::Kind::exited) end_.code = word->code;
  }
  if (!more) finish(false);  // by then all output of the program is in the streams
}

void SharedSession::read_errors() {
  const size_t before = end_.errors.size();
  if (!read_some(errors_.get(), end_.errors)) reads_errors_.reset();
  if (handlers_.on_errors && end_.errors.size() > before)
    handlers_.on_errors(std::string_view(end_.errors).substr(before));
  if (end_.errors.size() > kMostErrors) end_.errors.erase(0, end_.errors.size() - kMostErrors);
}

void SharedSession::finish(bool refused) {
  reads_.reset();
  for (size_t before = end_.errors.size() + 1; reads_errors_ && before != end_.errors.size();) {
    before = end_.errors.size();
    read_errors();
  }
  reads_errors_.reset();
  const HelperEnd end = std::move(end_);
  const Handlers handlers = std::exchange(handlers_, {});
  refused ? handlers.refused() : handlers.ended(end);
}

}  // namespace muster
