#include "core/adapter/ssh/ssh_host_links.h"

#include <utility>

namespace muster {
namespace {

class SshHostLink final : public HostLink {
 public:
  SshHostLink(FdLoop& loop, std::shared_ptr<const HostAccess> access, const HostCall& call, SshHostLinks::Take take,
              HostLinks::Handlers handlers)
      : handlers_(std::move(handlers)) {
    HostSession::Handlers heard;
    heard.arrived = [this, take = std::move(take), peer = call.peer](HostArrival arrival) {
      take(std::move(arrival.stream), peer);
      handlers_.arrived();
    };
    heard.ended = [this](const HelperEnd& end) { handlers_.ended({end.code, ssh::last_words(end.errors)}); };
    heard.failed = [this](const ssh::SshTrouble& trouble) {
      handlers_.failed({trouble.sentence, trouble.next, trouble.asks});
    };
    session_ = std::make_unique<HostSession>(loop, std::move(access), call.host, false, call.words, std::move(heard));
  }

 private:
  HostLinks::Handlers handlers_;
  std::unique_ptr<HostSession> session_;
};

// There is nothing to reach hosts with.
class NoLink final : public HostLink {
 public:
  NoLink(Loop& loop, const Status& why, std::function<void(const HostTrouble&)> failed) : loop_(loop) {
    timer_ = loop.at(loop.now(), [why = why.message(), failed = std::move(failed)] { failed({why, "", false}); });
  }
  ~NoLink() override { loop_.cancel(timer_); }

 private:
  Loop& loop_;
  TimerId timer_ = 0;
};

}  // namespace

std::unique_ptr<HostLink> SshHostLinks::open(const HostCall& call, Handlers handlers) {
  auto access = access_(call.environment);
  if (!access.ok()) return std::make_unique<NoLink>(loop_, access.status(), std::move(handlers.failed));
  return std::make_unique<SshHostLink>(loop_, std::move(*access), call, take_, std::move(handlers));
}

}  // namespace muster
