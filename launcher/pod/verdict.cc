// SPDX-License-Identifier: Apache-2.0
// `muster pod verdict`: prints why the job failed, and fails, so that the JobSet fails.

#include <csignal>
#include <iostream>

#include "backends/kubernetes/pod/pod_dialer.h"
#include "core/base/text.h"
#include "core/job/pod_words.h"
#include "core/system/asio/asio_loop.h"
#include "launcher/pod/pod.h"

namespace muster::pod {
namespace {

// The longest wait for a coordinator. If its machine is lost, the cluster needs about 50 s to notice it, and creates a replacement pod. If
// the job has succeeded, there is no coordinator, but the JobSet soon ends and this pod with it.
constexpr Duration kPatience = std::chrono::minutes(10);
constexpr Duration kRetryPause = std::chrono::seconds(1);
// The coordinator's pod must end before the JobSet fails; otherwise it would be deleted with its log.
constexpr Duration kExitDelay = std::chrono::seconds(3);

class Verdict {
 public:
  Verdict(AsioLoop& loop, const PodPlace& place, TlsIdentity identity)
      : loop_(loop),
        place_(place),
        dialer_(loop, place.coordinator, kAgentPort, std::move(identity)) {}

  // The job's end; nothing: no coordinator answered.
  std::optional<Dismiss> ask() {
    const TimePoint until = loop_.now() + kPatience;
    loop_.at(until, [this] {
      if (!result_) loop_.stop();
    });
    // The first process of a container gets SIGTERM only if it handles it.
    const auto told_to_end = loop_.watch_signal(SIGTERM, [this] { loop_.stop(); });
    dial();
    loop_.run();
    return result_;
  }

 private:
  void dial() {
    dialer_.dial([this](Result<std::unique_ptr<ChannelToCoordinator>> channel) {
      if (channel.ok()) return ask(std::move(*channel));
      loop_.at(loop_.now() + kRetryPause, [this] { dial(); });
    });
  }

  void ask(std::unique_ptr<ChannelToCoordinator> channel) {
    channel_ = std::move(channel);
    channel_->listen(
        [this](const CoordinatorMessage& message) {
          if (const auto* dismiss = std::get_if<Dismiss>(&message)) result_ = *dismiss;
        },
        [this](const Status&) { closed(); });
    Hello hello;
    hello.incarnation = 1;
    hello.pod = place_.self;
    hello.pod->verdict = true;
    channel_->send(hello);
  }

  void closed() {
    const Duration pause = result_ ? kExitDelay : kRetryPause;
    loop_.at(loop_.now() + pause, [this] { result_ ? loop_.stop() : dial(); });
  }

  AsioLoop& loop_;
  const PodPlace& place_;
  PodDialer dialer_;
  std::unique_ptr<ChannelToCoordinator> channel_;
  std::optional<Dismiss> result_;
};

}  // namespace

int verdict_main(const CallerContext& caller) {
  const PodPlace place = pod_place(caller);
  if (place.coordinator.empty())
    return refuse({Code::invalid_argument, std::string(kCoordinatorVariable) + " is not set"});
  auto identity = identity_of(place);
  if (!identity.ok()) return refuse(identity.status());
  AsioLoop loop;
  const std::optional<Dismiss> result = Verdict(loop, place, std::move(*identity)).ask();
  if (!result || result->succeeded) return exit_ok;
  const std::string sentence = escaped(result->why);
  write_termination_message(place, sentence);
  std::cout << sentence << std::endl;
  return exit_job_failed;
}

}  // namespace muster::pod
