#include "core/adapter/ssh/ssh_host_links.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

// As HostTour has it: sshd turns those away that are too many before they are let in (MaxStartups, sshd_config(5)).
constexpr size_t kAtOnce = 8;

}  // namespace

class SshHostLinks::Link final : public HostLink {
 public:
  Link(SshHostLinks& all, HostCall call, Handlers handlers)
      : all_(all),
        call_(std::move(call)),
        handlers_(std::move(handlers)) {}
  ~Link() override {
    std::erase(all_.waiting_, this);
    let_in();
  }

  void begin() {
    knocks_ = true;
    ++all_.knocking_;
    auto access = all_.access_(call_.environment);
    if (!access.ok()) return fail({access.status().message(), "", false});
    HostSession::Handlers heard;
    heard.arrived = [this](HostArrival arrival) {
      let_in();
      all_.take_(std::move(arrival.stream), call_.peer);
      handlers_.arrived();
    };
    heard.ended = [this](const HelperEnd& end) { handlers_.ended({end.code, ssh::last_words(end.errors)}); };
    heard.failed = [this](const ssh::SshTrouble& trouble) { fail({trouble.sentence, trouble.next, trouble.asks}); };
    session_ =
        std::make_unique<HostSession>(all_.loop_, std::move(*access), call_.host, false, call_.words, std::move(heard));
  }

 private:
  void let_in() {
    if (!std::exchange(knocks_, false)) return;
    --all_.knocking_;
    all_.knock_on();
  }
  void fail(const HostTrouble& trouble) {
    let_in();
    handlers_.failed(trouble);
  }

  SshHostLinks& all_;
  const HostCall call_;
  const Handlers handlers_;
  bool knocks_ = false;
  std::unique_ptr<HostSession> session_;
};

SshHostLinks::~SshHostLinks() { loop_.cancel(timer_); }

std::unique_ptr<HostLink> SshHostLinks::open(const HostCall& call, Handlers handlers) {
  auto link = std::make_unique<Link>(*this, call, std::move(handlers));
  waiting_.push_back(link.get());
  knock_on();
  return link;
}

// In a turn of its own, as all that handlers hear.
void SshHostLinks::knock_on() {
  if (timer_ != 0 || waiting_.empty() || knocking_ >= kAtOnce) return;
  timer_ = loop_.at(loop_.now(), [this] {
    timer_ = 0;
    if (waiting_.empty()) return;
    Link* next = waiting_.front();
    waiting_.pop_front();
    next->begin();
    knock_on();
  });
}

}  // namespace muster
