#include "core/adapter/ssh/ssh_host_links.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "core/adapter/ssh/code_delivery.h"

namespace muster {
namespace {

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
    heard.ended = [this](const HelperEnd& end) { handlers_.ended({end.code, ssh::last_words(end.errors)}); };
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

SshHostLinks::~SshHostLinks() { loop_.cancel(timer_); }

std::unique_ptr<HostLink> SshHostLinks::open(const HostCall& call, Handlers handlers) {
  return knock(std::make_unique<Link>(*this, call, std::move(handlers)));
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
