#include "core/node/torch_store/connection.h"

#include <sys/socket.h>

#include <cerrno>

#include "core/base/text.h"
#include "core/node/torch_store/front.h"

namespace muster::tcpstore {
namespace {

constexpr size_t kKeptRoom = 256;  // for the next reply; thousands of clients have some each

}  // namespace

Connection::Connection(Front& front, UniqueFd fd, uint64_t number, State state, Reads reads)
    : front_(front),
      fd_(std::move(fd)),
      number_(number),
      state_(state),
      reads_(reads),
      events_(state == State::open ? EPOLLIN : EPOLLOUT) {
  front_.poller().add(fd_.get(), events_, *this);
}

Connection::~Connection() { front_.account(accounted_, 0); }

void Connection::ready(uint32_t events) {
  if (ended_) return;
  if (state_ == State::on_its_way && !has_arrived()) return end();
  if ((events & (EPOLLIN | EPOLLOUT)) == 0) return end();  // only trouble
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
  return talk_->drained();
}

void Connection::read() {
  const ssize_t got = recv(fd_.get(), front_.buffer(), Front::kBuffer, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  front_.read_from(fd_.get());
  if (got <= 0 || !talk_->arrived({front_.buffer(), static_cast<size_t>(got)})) end();
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
  // While something is unsent the kernel tells when to go on.
  if ((events_ & EPOLLOUT) == 0 && !flush()) return end();
  if (unsent() > front_.limits().reply) {
    front_.troubles().tell(
        cut_off(Rule::reply, "it leaves more than " + humane_size(front_.limits().reply) + " of replies unread"));
    return end();
  }
  // The room goes back to whom it came from, for the next reply.
  if (unsent() == 0 && out_.capacity() <= kKeptRoom) {
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
  if (out_.capacity() > kKeptRoom) out_.shrink_to_fit();
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
  front_.poller().change(fd_.get(), events_, *this);
}

// What many clients leave with us together has a limit too; it is broken by whoever goes on then.
void Connection::account() {
  const size_t now = unsent() + talk_->held();
  if (!front_.account(accounted_, now)) {
    front_.troubles().tell(cut_off(Rule::buffers, "requests and replies under way take more than " +
                                                      humane_size(front_.limits().buffers) + " together"));
    end();
  }
  accounted_ = now;
}

void Connection::end() {
  if (ended_) return;
  ended_ = true;
  front_.poller().remove(fd_.get());
  front_.bury(number_);
}

void Connection::leave() {
  if (talk_) talk_->ended();
  talk_.reset();
}

}  // namespace muster::tcpstore
