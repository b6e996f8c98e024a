#include "core/adapter/ssh/ssh_host_links.h"

#include <sys/stat.h>

#include <utility>

#include "core/adapter/ssh/code_delivery.h"

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

class CodeOnItsWay final : public HostLink {
 public:
  CodeOnItsWay(FdLoop& loop, std::shared_ptr<const HostAccess> access, const HostCall& call, const CodeOrder& order,
               const std::string& archive, const HostLinks::Delivered& done)
      : delivery_(loop, std::move(access), call.host, order, archive, [done](const auto& trouble) {
          if (!trouble) return done(std::nullopt);
          done(HostTrouble{trouble->sentence, trouble->next, trouble->asks});
        }) {}

 private:
  CodeDelivery delivery_;
};

// The folder as it is now is compared: what both machines mount needs no copy.
CodeOrder order_of(const JobId& job, const JobCode& code, const std::string& archive) {
  struct stat packed {};
  struct stat folder {};
  CodeOrder order{job.text(), code.hash, 0, code.folder, 0, 0};
  if (stat(archive.c_str(), &packed) == 0) order.archive_bytes = static_cast<uint64_t>(packed.st_size);
  if (stat(code.folder.c_str(), &folder) != 0) return order;
  order.inode = folder.st_ino;
  order.changed_nanos = folder.st_ctim.tv_sec * int64_t{1'000'000'000} + folder.st_ctim.tv_nsec;
  return order;
}

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

std::unique_ptr<HostLink> SshHostLinks::deliver(const HostCall& call, const JobId& job, const JobCode& code,
                                                Delivered done) {
  auto access = access_(call.environment);
  if (!access.ok()) return std::make_unique<NoLink>(loop_, access.status(), std::move(done));
  const std::string archive = archive_(code.hash);
  return std::make_unique<CodeOnItsWay>(loop_, std::move(*access), call, order_of(job, code, archive), archive, done);
}

}  // namespace muster
