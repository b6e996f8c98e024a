// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/connection.h"

#include <sys/socket.h>

#include <cerrno>

#include "core/base/text.h"
#include "core/node/torch_store/store_server.h"

namespace muster::tcpstore {
namespace {

constexpr size_t kKeptCapacity = 256;  // bytes kept for the next reply; small, because there are thousands of clients

}  // namespace

Connection::Connection(StoreServer& server, UniqueFd fd, uint64_t number, State state, Reads reads)
    : server_(server),
      fd_(std::move(fd)),
      number_(number),
      state_(state),
      reads_(reads),
      events_(state == State::open ? EPOLLIN : EPOLLOUT) {
  server_.poller().add(fd_.get(), events_, *this);
}

Connection::~Connection() { server_.account(accounted_, 0); }

void Connection::ready(uint32_t events) {
  if (ended_) return;
  if (state_ == State::on_its_way && !has_arrived()) return end();
  if ((events & (EPOLLIN | EPOLLOUT)) == 0) return end();  // only an error or a hang-up
  if ((events & EPOLLOUT) != 0 && !go_on_sending()) return end();
  if ((events & EPOLLIN) != 0 && reads()) read();
  if (ended_) return;
  account();
  listen_for();
}

bool Connection::has_arrived() {
  int error = 0;
  socklen_t size = sizeof error;
  state_ = State::open;
  return getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

bool Connection::go_on_sending() {
  if (!flush()) return false;
  if (unsent() > 0) return true;
  listen_for();
  return handler_->drained();
}

void Connection::read() {
  const ssize_t got = recv(fd_.get(), server_.buffer(), StoreServer::kBuffer, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  server_.read_from(fd_.get());
  if (got <= 0 || !handler_->arrived({server_.buffer(), static_cast<size_t>(got)})) end();
}

void Connection::send(std::string& bytes) {
  if (ended_ || bytes.empty()) return bytes.clear();
  if (unsent() == 0) {
    out_.swap(bytes);
    bytes.clear();
    sent_ = 0;
  } else {
    out_ += bytes;
    bytes.clear();
  }
  if (state_ == State::on_its_way) return;
  // While bytes are unsent, epoll reports when to go on.
  if ((events_ & EPOLLOUT) == 0 && !flush()) return end();
  if (unsent() > server_.limits().reply) {
    server_.refusal_log().tell(
        cut_off(Rule::reply, "it has left more than " + humane_size(server_.limits().reply) + " of replies unread"));
    return end();
  }
  // The buffer goes back to the caller for the next reply.
  if (unsent() == 0 && out_.capacity() <= kKeptCapacity) {
    out_.swap(bytes);
    bytes.clear();
  }
  listen_for();
}

bool Connection::flush() {
  while (unsent() > 0) {
    const ssize_t done = ::send(fd_.get(), out_.data() + sent_, unsent(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno == EAGAIN;
    sent_ += static_cast<size_t>(done);
  }
  out_.clear();
  sent_ = 0;
  if (out_.capacity() > kKeptCapacity) out_.shrink_to_fit();
  return true;
}

bool Connection::reads() const { return reads_ == Reads::always || (unsent() == 0 && !held_); }

void Connection::hold(bool held) {
  held_ = held;
  listen_for();
}

void Connection::listen_for() {
  const uint32_t wanted = (unsent() > 0 ? EPOLLOUT : 0u) | (reads() ? EPOLLIN : 0u);
  if (ended_ || wanted == events_) return;
  events_ = wanted;
  server_.poller().change(fd_.get(), events_, *this);
}

// The buffers of all clients together have a limit too. The client that exceeds it is disconnected.
void Connection::account() {
  const size_t now = unsent() + handler_->held();
  if (!server_.account(accounted_, now)) {
    server_.refusal_log().tell(cut_off(Rule::buffers, "buffered requests and replies of all clients take more than " +
                                                          humane_size(server_.limits().buffers)));
    end();
  }
  accounted_ = now;
}

void Connection::end() {
  if (ended_) return;
  ended_ = true;
  server_.poller().remove(fd_.get());
  server_.bury(number_);
}

void Connection::leave() {
  if (handler_) handler_->ended();
  handler_.reset();
}

}  // namespace muster::tcpstore
