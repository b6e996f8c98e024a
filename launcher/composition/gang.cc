// SPDX-License-Identifier: Apache-2.0
// A job on hosts that the user starts by hand: the first host runs the controller, the others represent it.

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/client/connect/direct_client.h"
#include "core/coordinator/proxy/coordinator_proxy.h"
#include "core/job/file/job_yaml.h"
#include "core/job/plan/visible_gpus.h"
#include "core/system/linux/host_name.h"
#include "core/system/tls/token_identity.h"
#include "core/wire/grpc_agent_dialer.h"
#include "launcher/composition/hosting.h"
#include "launcher/composition/wire.h"

namespace muster {
namespace {

constexpr const char* kPurpose = "muster torchrun";
constexpr Duration kTellAfter = std::chrono::seconds(1);
// Time for the last message to reach the other hosts.
constexpr Duration kShutdownDelay = std::chrono::milliseconds(200);

Result<TcpTarget> target_of(const GangPlace& place, const std::string& address) {
  TcpTarget target{{address, place.port}, std::nullopt};
  if (!place.token) return target;
  auto identity = identity_from_token(*place.token, kPurpose);
  if (!identity.ok()) return identity.status().with_context("MUSTER_TOKEN");
  target.tls = std::move(*identity);
  return target;
}

// The first host: waits for the other hosts.
class FirstHost final : public Gang {
 public:
  FirstHost(FdLoop& loop, const GangPlace& place) : loop_(loop), place_(place) {}
  ~FirstHost() override {
    loop_.cancel(timer_);
    loop_.cancel(tell_timer_);
  }

  Status open(const CallerContext& caller) {
    const auto target = target_of(place_, place_.listen);
    if (!target.ok()) return target.status();
    auto choice = standalone_choice(caller);
    if (!choice.ok()) return choice.status();
    const auto missed = [this](const std::string& what) {
      handlers_.remark("waiting for " + what + " at " + place_.endpoint);
    };
    choice->typed = TypedHosting{place_.offer, *target, place_.later_call, [this] { check_hosts(); }, missed};
    auto hosting = Hosting::open(caller, loop_, *choice, [] {});
    if (!hosting.ok()) return hosting.status();
    hosting_ = std::move(*hosting);
    client_.emplace(loop_, hosting_->controller());
    return {};
  }

  ControlClient& client() override { return *client_; }
  bool has_execs() const override { return hosting_->has_execs(); }

  void assemble(Handlers handlers) override {
    handlers_ = std::move(handlers);
    until_ = loop_.now() + place_.patience;
    if (!place_.token) {
      handlers_.remark(
          place_.endpoint +
          " has no access control, as with torchrun: everyone who reaches it can join; to restrict it, set " +
          kTokenVariable + " on all hosts");
    }
    tell_timer_ = loop_.at(loop_.now() + kTellAfter, [this] { report_waiting(); });
    check_hosts();
  }

  void leave(const std::string& why) override {
    given_up_ = true;
    give_up(Status(Code::cancelled, why + " on " + host_name()));
  }

 private:
  size_t hosts() const { return hosting_->typed().hosts(); }

  void report_waiting() {
    if (!handlers_.assembled) return;
    handlers_.remark("waiting for hosts at " + place_.endpoint + ": " + counted());
    if (!place_.foreign || hosts() > 1) return;
    handlers_.remark(place_.dial +
                     " is not an address of this machine: unless another machine forwards it here, no host can join; "
                     "the first host " +
                     "must have this address");
  }

  std::string counted() const {
    const uint32_t wanted = last_call_ ? place_.offer.most_nodes : place_.offer.least_nodes;
    return std::to_string(hosts()) + " of " + std::to_string(wanted) + " have joined";
  }

  void check_hosts() {
    if (!handlers_.assembled || given_up_) return;
    const uint32_t least = place_.offer.least_nodes;
    if (hosts() >= place_.offer.most_nodes) return end(Status());
    if (hosts() >= least && !last_call_) last_call_ = loop_.now() + place_.last_call;
    if (hosts() < least) last_call_.reset();
    const TimePoint due = last_call_.value_or(until_);
    loop_.cancel(timer_);
    timer_ = loop_.at(due, [this] { deadline_passed(); });
  }

  void deadline_passed() {
    if (last_call_) return end(Status());
    give_up(Status(Code::deadline_exceeded,
                   "only " + counted() + " after " + humane_duration(place_.patience) + " at " + place_.endpoint));
  }

  void give_up(const Status& why) {
    hosting_->typed().send_all_away(why.message());
    loop_.cancel(timer_);
    timer_ = loop_.at(loop_.now() + kShutdownDelay, [this, why] { end(why); });
  }

  // Posted to the loop, because the handler may destroy this object.
  void end(const Status& status) {
    hosting_->typed().close();
    loop_.cancel(timer_);
    loop_.post([done = std::exchange(handlers_.assembled, nullptr), status] { done(status); });
  }

  FdLoop& loop_;
  const GangPlace place_;
  std::unique_ptr<Hosting> hosting_;
  std::optional<DirectClient> client_;
  Handlers handlers_;
  TimePoint until_;
  std::optional<TimePoint> last_call_;
  bool given_up_ = false;
  TimerId timer_ = 0;
  TimerId tell_timer_ = 0;
};

// Reads from the copy of the job; sends requests that change the job to the coordinator proxy.
class CopyClient final : public DirectClient {
 public:
  CopyClient(Loop& loop, Controller& controller, CoordinatorProxy& proxy)
      : DirectClient(loop, controller),
        proxy_(proxy) {}

  Result<JobView> submit(const SubmitRequest&) override { return describe(proxy_.job().text()); }
  Status stop(const std::string&, int signal, Duration grace) override { return proxy_.stop(signal, grace); }

 private:
  CoordinatorProxy& proxy_;
};

class OtherHost final : public Gang {
 public:
  OtherHost(FdLoop& loop, const GangPlace& place) : loop_(loop), place_(place) {}

  Status open(const CallerContext& caller, const SubmitRequest& request) {
    auto target = target_of(place_, place_.dial);
    if (!target.ok()) return target.status();
    auto choice = standalone_choice(caller);
    if (!choice.ok()) return choice.status();
    auto hosting = Hosting::open(caller, loop_, *choice, [] {});
    if (!hosting.ok()) return hosting.status();
    hosting_ = std::move(*hosting);
    dialer_.emplace(loop_, std::move(*target));
    return make_coordinator_proxy(caller, request);
  }

  ControlClient& client() override { return *client_; }
  NodeIndex node() const override { return proxy_->node(); }

  void assemble(Handlers handlers) override {
    handlers_ = std::move(handlers);
    proxy_->start();
  }

  void leave(const std::string& why) override { proxy_->leave(why); }

 private:
  Status make_coordinator_proxy(const CallerContext& caller, const SubmitRequest& request) {
    CoordinatorProxySelf self;
    self.spec = parse_job_json(request.spec_json, "the command line").spec;
    auto here = hosting_->backend().plan(self.spec, {}, {cuda_visible_devices(request.environment), {}});
    if (!here.ok()) return here.status();
    Random random(caller.seed ^ static_cast<uint64_t>(loop_.now().time_since_epoch().count()));
    self.offer = place_.offer;
    self.offer.dialled = place_.dial;
    self.host = host_name();
    self.binary_hash = binary_hash(caller);
    self.incarnation = random.next() | 1;
    self.job = JobId::make(random);
    self.secrets = {request.environment, request.secrets, request.settings};
    self.here = std::move(*here);
    self.endpoint = place_.endpoint;
    self.patience = place_.patience;
    proxy_.emplace(CoordinatorProxyPorts{loop_, hosting_->backend(), hosting_->store(), hosting_->output(), *dialer_,
                                         hosting_->log()},
                   std::move(self),
                   CoordinatorProxy::Handlers{.joined = [this](const Status& status) { handlers_.assembled(status); },
                                              .lost = [this](const Status& status) { handlers_.lost(status); },
                                              .remark = [this](const std::string& what) { handlers_.remark(what); }});
    client_.emplace(loop_, hosting_->controller(), *proxy_);
    return {};
  }

  FdLoop& loop_;
  const GangPlace place_;
  std::unique_ptr<Hosting> hosting_;
  std::optional<GrpcAgentDialer> dialer_;
  std::optional<CoordinatorProxy> proxy_;
  std::optional<CopyClient> client_;
  Handlers handlers_;
};

template <typename Host, typename... More>
Result<std::unique_ptr<Gang>> opened(FdLoop& loop, const GangPlace& place, const More&... more) {
  auto host = std::make_unique<Host>(loop, place);
  if (const Status status = host->open(more...); !status.ok()) return status;
  return std::unique_ptr<Gang>(std::move(host));
}

}  // namespace

Result<std::unique_ptr<Gang>> open_gang(const CallerContext& caller, FdLoop& loop, const GangPlace& place,
                                        const SubmitRequest& request) {
  if (place.part != GangPlace::Part::other) {
    auto first = opened<FirstHost>(loop, place, caller);
    const bool taken = !first.ok() && first.status().code() == Code::unavailable;
    if (!taken || place.part == GangPlace::Part::first) return first;
  }
  return opened<OtherHost>(loop, place, caller, request);
}

}  // namespace muster
