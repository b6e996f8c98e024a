// `muster pod verdict`: the pod that fails so that its JobSet does, and says why.

#include <csignal>
#include <iostream>

#include "backends/kubernetes/pod/pod_dialer.h"
#include "core/base/text.h"
#include "core/job/pod_words.h"
#include "core/system/asio/asio_loop.h"
#include "launcher/pod/pod.h"

namespace muster::pod {
namespace {

// For the coordinator, and for the next one where its machine was lost: that has to be noticed (some 50 s) and a pod made. Where there is
// nobody to ask because the job has succeeded, its JobSet ends soon, and we with it.
constexpr Duration kPatience = std::chrono::minutes(10);
constexpr Duration kAgain = std::chrono::seconds(1);
// The coordinator's pod has to be over before its JobSet fails, or it would be removed with its log.
constexpr Duration kAfterwards = std::chrono::seconds(3);

class Verdict {
 public:
  Verdict(AsioLoop& loop, const PodPlace& place, TlsIdentity identity)
      : loop_(loop),
        place_(place),
        dialer_(loop, place.coordinator, kAgentPort, std::move(identity)) {}

  // What the job came to; nothing: nobody is there to ask.
  std::optional<Dismiss> ask() {
    const TimePoint until = loop_.now() + kPatience;
    loop_.at(until, [this] {
      if (!heard_) loop_.stop();
    });
    // The first process of a container has to ask for the signal.
    const auto told_to_end = loop_.watch_signal(SIGTERM, [this] { loop_.stop(); });
    dial();
    loop_.run();
    return heard_;
  }

 private:
  void dial() {
    dialer_.dial([this](Result<std::unique_ptr<ChannelToCoordinator>> channel) {
      if (channel.ok()) return ask(std::move(*channel));
      loop_.at(loop_.now() + kAgain, [this] { dial(); });
    });
  }

  void ask(std::unique_ptr<ChannelToCoordinator> channel) {
    channel_ = std::move(channel);
    channel_->listen(
        [this](const CoordinatorMessage& message) {
          if (const auto* dismiss = std::get_if<Dismiss>(&message)) heard_ = *dismiss;
        },
        [this](const Status&) { closed(); });
    Hello hello;
    hello.incarnation = 1;
    hello.pod = place_.self;
    hello.pod->verdict = true;
    channel_->send(hello);
  }

  void closed() {
    const Duration pause = heard_ ? kAfterwards : kAgain;
    loop_.at(loop_.now() + pause, [this] { heard_ ? loop_.stop() : dial(); });
  }

  AsioLoop& loop_;
  const PodPlace& place_;
  PodDialer dialer_;
  std::unique_ptr<ChannelToCoordinator> channel_;
  std::optional<Dismiss> heard_;
};

}  // namespace

int verdict_main(const CallerContext& caller) {
  const PodPlace place = pod_place(caller);
  if (place.coordinator.empty())
    return refuse({Code::invalid_argument, std::string(kCoordinatorVariable) + " is not set"});
  auto identity = identity_of(place);
  if (!identity.ok()) return refuse(identity.status());
  AsioLoop loop;
  const std::optional<Dismiss> heard = Verdict(loop, place, std::move(*identity)).ask();
  if (!heard || heard->succeeded) return exit_ok;
  const std::string sentence = escaped(heard->why);
  leave_failure_message(place, sentence);
  std::cout << sentence << std::endl;
  return exit_job_failed;
}

}  // namespace muster::pod
