// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/ssh_host_links.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "backends/ssh/session/code_delivery.h"
#include "core/base/text.h"
#include "core/port/relay_errors.h"

namespace muster {
namespace {

constexpr size_t kMostLinkAnswer = 256 << 10;
constexpr Duration kLinkTimeout = std::chrono::seconds(30);

// The order describes the folder as it is now. If both machines mount it, nothing is copied.
CodeOrder order_of(const JobId& job, const JobCode& code, const std::string& archive) {
  struct stat packed {};
  CodeOrder order{job.text(), code.hash, 0, code.folder, 0, 0};
  utimensat(AT_FDCWD, archive.c_str(), nullptr, 0);  // it is in use, so it must not be removed as old
  if (stat(archive.c_str(), &packed) == 0) order.archive_bytes = static_cast<uint64_t>(packed.st_size);
  mark_folder(order);
  return order;
}

// What ssh or the relay said last about the end.
std::string last_said(const std::string& errors) {
  std::vector<std::string> lines = split(errors, '\n');
  std::erase_if(lines, is_about_stopped_agent);
  return ssh::failure_message(join(lines, "\n"));
}

}  // namespace

// A call that waits for its ssh login.
class SshHostLinks::QueuedCall : public HostLink {
 public:
  QueuedCall(SshHostLinks& all, HostCall call) : all_(all), call_(std::move(call)) {}
  ~QueuedCall() override {
    std::erase(all_.waiting_, this);
    logged_in();
  }

  void begin() {
    logging_in_ = true;
    ++all_.logging_in_;
    auto access = all_.access_(call_.environment);
    if (!access.ok()) return fail({access.status().message(), "", false});
    call(std::move(*access));
  }

 protected:
  virtual void call(std::shared_ptr<const HostAccess> access) = 0;
  virtual void tell(const HostTrouble& trouble) = 0;

  void logged_in() {
    if (!std::exchange(logging_in_, false)) return;
    --all_.logging_in_;
    all_.start_next();
  }
  void fail(const HostTrouble& trouble) {
    logged_in();
    tell(trouble);
  }

  SshHostLinks& all_;
  const HostCall call_;

 private:
  bool logging_in_ = false;
};

class SshHostLinks::Link final : public QueuedCall {
 public:
  Link(SshHostLinks& all, const HostCall& call, Handlers handlers)
      : QueuedCall(all, call),
        handlers_(std::move(handlers)),
        errors_(handlers_.stopped) {}

 private:
  void call(std::shared_ptr<const HostAccess> access) override {
    HostSession::Handlers handlers;
    handlers.arrived = [this](HostArrival arrival) {
      logged_in();
      all_.take_(std::move(arrival.stream), call_.peer);
      handlers_.arrived();
    };
    handlers.ended = [this](const HelperEnd& end) { handlers_.ended({end.code, last_said(end.errors)}); };
    handlers.failed = [this](const ssh::SshTrouble& trouble) { fail(trouble); };
    handlers.connected = [this] { logged_in(); };
    handlers.on_errors = [this](std::string_view bytes) { errors_.add(bytes); };
    session_ = std::make_unique<HostSession>(all_.loop_, std::move(access), call_.host, false, call_.words,
                                             std::move(handlers));
  }
  void tell(const HostTrouble& trouble) override { handlers_.failed(trouble); }

  const Handlers handlers_;
  RelayErrors errors_;
  std::unique_ptr<HostSession> session_;
};

class SshHostLinks::CodeCopy final : public QueuedCall {
 public:
  CodeCopy(SshHostLinks& all, const HostCall& call, const JobId& job, JobCode code, Delivered done)
      : QueuedCall(all, call),
        job_(job),
        code_(std::move(code)),
        done_(std::move(done)) {}

 private:
  void call(std::shared_ptr<const HostAccess> access) override {
    const std::string archive = all_.archive_(code_.hash);
    const auto done = [this](const std::optional<ssh::SshTrouble>& trouble) {
      if (trouble) return fail(*trouble);
      logged_in();
      done_(std::nullopt);
    };
    delivery_ = std::make_unique<CodeDelivery>(
        all_.loop_, std::move(access), call_.host, order_of(job_, code_, archive), archive, [this] { logged_in(); },
        done);
  }
  void tell(const HostTrouble& trouble) override { done_(trouble); }

  const JobId job_;
  const JobCode code_;
  const Delivered done_;
  std::unique_ptr<CodeDelivery> delivery_;
};

// Runs `muster facts` on the host and reads its answer.
class SshHostLinks::HoldersQuestion final : public QueuedCall {
 public:
  HoldersQuestion(SshHostLinks& all, const HostCall& call, Seen seen) : QueuedCall(all, call), seen_(std::move(seen)) {}
  ~HoldersQuestion() override { all_.loop_.cancel(deadline_); }

 private:
  void call(std::shared_ptr<const HostAccess> access) override {
    HostSession::Handlers handlers;
    handlers.arrived = [this](HostArrival arrival) { arrived(std::move(arrival)); };
    handlers.ended = [this](const HelperEnd& end) { ended(end); };
    handlers.failed = [this](const ssh::SshTrouble& trouble) { fail(trouble); };
    session_ = std::make_unique<HostSession>(all_.loop_, std::move(access), call_.host, false, call_.words,
                                             std::move(handlers));
  }

  void arrived(HostArrival arrival) {
    logged_in();
    stream_ = std::move(arrival.stream);
    (void)send(stream_.get(), "now\n", 4, MSG_NOSIGNAL);
    reads_ = all_.loop_.watch_readable(stream_.get(), [this] { read_answer(); });
    deadline_ = all_.loop_.at(all_.loop_.now() + kLinkTimeout, [this] {
      tell(HostTrouble{"muster on the host does not answer", "ssh -v " + call_.host, false});
    });
  }

  // False: no more data for now.
  bool read_answer() {
    std::array<char, 65536> buffer{};
    const ssize_t length = recv(stream_.get(), buffer.data(), buffer.size(), 0);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (length <= 0 || answer_.size() > kMostLinkAnswer) return reads_.reset(), false;
    answer_.append(buffer.data(), static_cast<size_t>(length));
    return true;
  }

  void ended(const HelperEnd& end) {
    while (reads_ && read_answer()) continue;
    if (end.code != 0) return tell(HostTrouble{ssh::failure_message(end.errors), "", false});
    answer(all_.holders_(answer_));
  }

  void tell(const HostTrouble& trouble) override { answer(Status(Code::unavailable, trouble.sentence)); }
  void answer(const Result<std::vector<Holder>>& found) {
    if (seen_) std::exchange(seen_, nullptr)(found);
  }

  Seen seen_;
  std::unique_ptr<HostSession> session_;
  UniqueFd stream_;
  std::unique_ptr<LoopWatch> reads_;
  TimerId deadline_ = 0;
  std::string answer_;
};

SshHostLinks::~SshHostLinks() { loop_.cancel(timer_); }

std::unique_ptr<HostLink> SshHostLinks::open(const HostCall& call, Handlers handlers) {
  return enqueue(std::make_unique<Link>(*this, call, std::move(handlers)));
}

std::unique_ptr<HostLink> SshHostLinks::look(const HostCall& call, Seen seen) {
  return enqueue(std::make_unique<HoldersQuestion>(*this, call, std::move(seen)));
}

std::unique_ptr<HostLink> SshHostLinks::deliver(const HostCall& call, const JobId& job, const JobCode& code,
                                                Delivered done) {
  return enqueue(std::make_unique<CodeCopy>(*this, call, job, code, std::move(done)));
}

std::unique_ptr<HostLink> SshHostLinks::enqueue(std::unique_ptr<QueuedCall> caller) {
  waiting_.push_back(caller.get());
  start_next();
  return caller;
}

// In a later turn, as all handlers run.
void SshHostLinks::start_next() {
  if (timer_ != 0 || waiting_.empty() || logging_in_ >= kHostsAtOnce) return;
  timer_ = loop_.at(loop_.now(), [this] {
    timer_ = 0;
    if (waiting_.empty()) return;
    QueuedCall* next = waiting_.front();
    waiting_.pop_front();
    next->begin();
    start_next();
  });
}

}  // namespace muster
