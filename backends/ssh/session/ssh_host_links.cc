#include "backends/ssh/session/ssh_host_links.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "backends/ssh/session/code_delivery.h"

namespace muster {
namespace {

constexpr size_t kMostLinkAnswer = 256 << 10;
constexpr Duration kLinkTimeout = std::chrono::seconds(30);

// The folder as it is now is compared: what both machines mount needs no copy.
CodeOrder order_of(const JobId& job, const JobCode& code, const std::string& archive) {
  struct stat packed {};
  CodeOrder order{job.text(), code.hash, 0, code.folder, 0, 0};
  utimensat(AT_FDCWD, archive.c_str(), nullptr, 0);  // it is in use: nobody removes it as old
  if (stat(archive.c_str(), &packed) == 0) order.archive_bytes = static_cast<uint64_t>(packed.st_size);
  mark_folder(order);
  return order;
}

}  // namespace

// Who waits to be let in.
class SshHostLinks::Caller : public HostLink {
 public:
  Caller(SshHostLinks& all, HostCall call) : all_(all), call_(std::move(call)) {}
  ~Caller() override {
    std::erase(all_.waiting_, this);
    let_in();
  }

  void begin() {
    knocks_ = true;
    ++all_.knocking_;
    auto access = all_.access_(call_.environment);
    if (!access.ok()) return fail({access.status().message(), "", false});
    call(std::move(*access));
  }

 protected:
  virtual void call(std::shared_ptr<const HostAccess> access) = 0;
  virtual void tell(const HostTrouble& trouble) = 0;

  void let_in() {
    if (!std::exchange(knocks_, false)) return;
    --all_.knocking_;
    all_.knock_on();
  }
  void fail(const HostTrouble& trouble) {
    let_in();
    tell(trouble);
  }

  SshHostLinks& all_;
  const HostCall call_;

 private:
  bool knocks_ = false;
};

class SshHostLinks::Link final : public Caller {
 public:
  Link(SshHostLinks& all, const HostCall& call, Handlers handlers)
      : Caller(all, call),
        handlers_(std::move(handlers)) {}

 private:
  void call(std::shared_ptr<const HostAccess> access) override {
    HostSession::Handlers heard;
    heard.arrived = [this](HostArrival arrival) {
      let_in();
      all_.take_(std::move(arrival.stream), call_.peer);
      handlers_.arrived();
    };
    heard.ended = [this](const HelperEnd& end) { handlers_.ended({end.code, ssh::failure_message(end.errors)}); };
    heard.failed = [this](const ssh::SshTrouble& trouble) { fail(trouble); };
    heard.inside = [this] { let_in(); };
    session_ =
        std::make_unique<HostSession>(all_.loop_, std::move(access), call_.host, false, call_.words, std::move(heard));
  }
  void tell(const HostTrouble& trouble) override { handlers_.failed(trouble); }

  const Handlers handlers_;
  std::unique_ptr<HostSession> session_;
};

class SshHostLinks::CodeOnItsWay final : public Caller {
 public:
  CodeOnItsWay(SshHostLinks& all, const HostCall& call, const JobId& job, JobCode code, Delivered done)
      : Caller(all, call),
        job_(job),
        code_(std::move(code)),
        done_(std::move(done)) {}

 private:
  void call(std::shared_ptr<const HostAccess> access) override {
    const std::string archive = all_.archive_(code_.hash);
    const auto done = [this](const std::optional<ssh::SshTrouble>& trouble) {
      if (trouble) return fail(*trouble);
      let_in();
      done_(std::nullopt);
    };
    delivery_ = std::make_unique<CodeDelivery>(
        all_.loop_, std::move(access), call_.host, order_of(job_, code_, archive), archive, [this] { let_in(); }, done);
  }
  void tell(const HostTrouble& trouble) override { done_(trouble); }

  const JobId job_;
  const JobCode code_;
  const Delivered done_;
  std::unique_ptr<CodeDelivery> delivery_;
};

// A question, and the answer of a program that ends with it.
class SshHostLinks::Look final : public Caller {
 public:
  Look(SshHostLinks& all, const HostCall& call, Seen seen) : Caller(all, call), seen_(std::move(seen)) {}
  ~Look() override { all_.loop_.cancel(deadline_); }

 private:
  void call(std::shared_ptr<const HostAccess> access) override {
    HostSession::Handlers heard;
    heard.arrived = [this](HostArrival arrival) { arrived(std::move(arrival)); };
    heard.ended = [this](const HelperEnd& end) { ended(end); };
    heard.failed = [this](const ssh::SshTrouble& trouble) { fail(trouble); };
    session_ =
        std::make_unique<HostSession>(all_.loop_, std::move(access), call_.host, false, call_.words, std::move(heard));
  }

  void arrived(HostArrival arrival) {
    let_in();
    stream_ = std::move(arrival.stream);
    (void)send(stream_.get(), "now\n", 4, MSG_NOSIGNAL);
    reads_ = all_.loop_.watch_readable(stream_.get(), [this] { hear(); });
    deadline_ = all_.loop_.at(all_.loop_.now() + kLinkTimeout, [this] {
      tell(HostTrouble{"muster there says nothing", "ssh -v " + call_.host, false});
    });
  }

  // False: there is no more for now.
  bool hear() {
    std::array<char, 65536> buffer{};
    const ssize_t length = recv(stream_.get(), buffer.data(), buffer.size(), 0);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (length <= 0 || answer_.size() > kMostLinkAnswer) return reads_.reset(), false;
    answer_.append(buffer.data(), static_cast<size_t>(length));
    return true;
  }

  void ended(const HelperEnd& end) {
    while (reads_ && hear()) continue;
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
  return knock(std::make_unique<Link>(*this, call, std::move(handlers)));
}

std::unique_ptr<HostLink> SshHostLinks::look(const HostCall& call, Seen seen) {
  return knock(std::make_unique<Look>(*this, call, std::move(seen)));
}

std::unique_ptr<HostLink> SshHostLinks::deliver(const HostCall& call, const JobId& job, const JobCode& code,
                                                Delivered done) {
  return knock(std::make_unique<CodeOnItsWay>(*this, call, job, code, std::move(done)));
}

std::unique_ptr<HostLink> SshHostLinks::knock(std::unique_ptr<Caller> caller) {
  waiting_.push_back(caller.get());
  knock_on();
  return caller;
}

// In a turn of its own, as all that handlers hear.
void SshHostLinks::knock_on() {
  if (timer_ != 0 || waiting_.empty() || knocking_ >= kHostsAtOnce) return;
  timer_ = loop_.at(loop_.now(), [this] {
    timer_ = 0;
    if (waiting_.empty()) return;
    Caller* next = waiting_.front();
    waiting_.pop_front();
    next->begin();
    knock_on();
  });
}

}  // namespace muster
