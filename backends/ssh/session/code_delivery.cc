// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/code_delivery.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kCodeBlock = 256 << 10;
constexpr size_t kMostAnswer = 4096;
// The limit without a byte in either direction. Unpacking on a slow disk takes minutes.
constexpr Duration kDeliveryTimeout = std::chrono::minutes(10);

}  // namespace

bool mark_folder(CodeOrder& order) {
  struct stat folder {};
  if (stat(order.folder.c_str(), &folder) != 0 || !S_ISDIR(folder.st_mode)) return false;
  order.inode = folder.st_ino;
  order.changed_nanos = folder.st_ctim.tv_sec * int64_t{1'000'000'000} + folder.st_ctim.tv_nsec;
  return true;
}

CodeDelivery::CodeDelivery(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::string host,
                           const CodeOrder& order, std::string archive, std::function<void()> connected, Done done)
    : loop_(loop),
      host_(std::move(host)),
      archive_(std::move(archive)),
      connected_(std::move(connected)),
      done_(std::move(done)),
      outgoing_(to_line(order) + "\n") {
  session_ =
      std::make_unique<HostSession>(loop_, std::move(access), host_, false, std::vector<std::string>{"unpack"},
                                    HostSession::Handlers{[this](HostArrival arrival) { arrived(std::move(arrival)); },
                                                          [this](const HelperEnd& end) { ended(end); },
                                                          [this](const ssh::SshTrouble& trouble) { finish(trouble); }});
}

CodeDelivery::~CodeDelivery() { loop_.cancel(deadline_); }

void CodeDelivery::arrived(HostArrival arrival) {
  connected_();
  stream_ = std::move(arrival.stream);
  writing_ = UniqueFd(fcntl(stream_.get(), F_DUPFD_CLOEXEC, 0));
  reads_ = loop_.watch_readable(stream_.get(), [this] { read_answer(); });
  write_more();
}

void CodeDelivery::read_answer() {
  std::array<char, kMostAnswer> buffer{};
  const ssize_t length = recv(stream_.get(), buffer.data(), buffer.size(), 0);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0 || answer_.size() > kMostAnswer) return reads_.reset();  // `ended` follows
  answer_.append(buffer.data(), static_cast<size_t>(length));
  if (answer_.starts_with("need\n") && !file_.valid()) begin_archive();
}

void CodeDelivery::begin_archive() {
  file_ = UniqueFd(open(archive_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_.valid()) {
    const std::string why =
        "the snapshot of the job's code is missing: " + errno_status(errno, "read " + archive_).message();
    return finish(ssh::SshTrouble{why, "submit the job again", false});
  }
  write_more();
}

// False: there is nothing left to send.
bool CodeDelivery::read_block() {
  outgoing_.resize(kCodeBlock);
  written_ = 0;
  ssize_t length = 0;
  do {
    length = file_.valid() ? read(file_.get(), outgoing_.data(), outgoing_.size()) : 0;
  } while (length < 0 && errno == EINTR);
  if (length < 0) finish(ssh::SshTrouble{errno_status(errno, "read " + archive_).message(), "", false});
  outgoing_.resize(static_cast<size_t>(std::max<ssize_t>(length, 0)));
  return !outgoing_.empty();
}

void CodeDelivery::write_more() {
  restart_deadline();
  while (written_ < outgoing_.size() || read_block()) {
    const ssize_t sent = send(stream_.get(), outgoing_.data() + written_, outgoing_.size() - written_, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) {
      if (!writes_) writes_ = loop_.watch_writable(writing_.get(), [this] { write_more(); });
      return;
    }
    if (sent < 0) break;  // `ended` follows
    written_ += static_cast<size_t>(sent);
    if (file_.valid()) sent_ += static_cast<uint64_t>(sent);
  }
  writes_.reset();
}

void CodeDelivery::restart_deadline() {
  loop_.cancel(deadline_);
  deadline_ = loop_.at(loop_.now() + kDeliveryTimeout, [this] {
    finish(ssh::SshTrouble{"copying the job's code made no progress for " + humane_duration(kDeliveryTimeout),
                           "ssh -v " + host_, false});
  });
}

void CodeDelivery::ended(const HelperEnd& end) {
  for (size_t before = answer_.size() + 1; reads_ && before != answer_.size();) {
    before = answer_.size();
    read_answer();  // the rest of its answer
  }
  const bool ready = answer_ == "ready\n" || answer_ == "need\nready\n";
  if (end.code == 0 && ready) return finish(std::nullopt);
  if (end.code == 255) return finish(ssh::ssh_trouble(host_, end.code, end.errors));
  const std::string said = ssh::failure_message(end.errors);
  finish(ssh::SshTrouble{"it could not store the job's code: " + (said.empty() ? "it printed no error" : said),
                         "ssh " + host_ + " df -h '~'", false});
}

void CodeDelivery::finish(const std::optional<ssh::SshTrouble>& trouble) {
  if (!done_) return;
  loop_.cancel(deadline_);
  reads_.reset();
  writes_.reset();
  // In a later turn, unless this object is destroyed before.
  deadline_ = loop_.at(loop_.now(), [done = std::exchange(done_, nullptr), trouble] { done(trouble); });
}

}  // namespace muster
