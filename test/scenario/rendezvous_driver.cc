// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "core/machine/rendezvous/rendezvous.h"
#include "test/scenario/drivers.h"
#include "test/scenario/rendezvous_commands.h"
#include "test/scenario/trace.h"

namespace muster::scenario {
namespace {

using namespace rendezvous;

class RendezvousDriver final : public Driver {
 public:
  std::vector<std::string> run(const Command& command) override {
    trace_.clear();
    execute(command);
    if (trace_.empty()) trace_.push_back("nothing happens");
    return trace_;
  }

 private:
  void execute(const Command& command) {
    if (command.verb == "limits") return void(state_.limits = parse_limits(command));
    if (command.verb == "begin") return apply(parse_begin(command));
    if (command.verb == "ask") return ask(command);
    if (command.verb == "end") return apply(parse_end(command));
    if (command.verb == "lose") return apply(ChannelLost{parse_number(command.plain(0))});
    if (command.verb == "advance") return advance(now_ + parse_time(command.plain(0)));
    if (command.verb == "timer") return apply(TimerFired{});
    if (command.verb == "held") return tell_held();
    throw BadCommand("unknown rendezvous command `" + command.verb + "`");
  }

  // By default each call has a new number on channel 1.
  void ask(const Command& command) {
    const Asked asked = parse_ask(command, Asked{Asker{1, next_id_}, state_.attempt, 0, 0, {}});
    next_id_ = std::max(next_id_, asked.asker.id) + 1;
    names_.emplace(asked.asker, "rank " + std::to_string(asked.rank) + "'s " + command.plain(1));
    apply(asked);
  }

  void advance(TimePoint until) {
    while (armed_ && *armed_ <= until) {
      now_ = *armed_;
      armed_.reset();
      trace_.push_back(at(now_) + " the timer fires");
      apply(TimerFired{});
    }
    now_ = until;
  }

  void apply(const Event& event) {
    Step result = step(std::move(state_), now_, event);
    state_ = std::move(result.next);
    for (const Action& action : result.actions) {
      if (const auto* arm = std::get_if<ArmTimer>(&action)) {
        armed_ = arm->at;
        trace_.push_back("arm the timer " + at(arm->at));
      } else {
        tell_answer(std::get<Answer>(action));
      }
    }
  }

  void tell_answer(const Answer& answer) {
    std::vector<std::string> names;
    for (const Asker& asker : answer.askers) names.push_back(names_.at(asker));
    const std::string verb = names.size() == 1 ? " gets " : " get ";
    trace_.push_back(join(names, ", ") + verb + tell(answer.answer));
  }

  void tell_held() {
    size_t keys = 0;
    for (const Space& space : state_.worlds) keys += space.values.size();
    trace_.push_back(count_of(keys, "key") + ", " + count_of(state_.waiters.size(), "waiter") + ", " +
                     count_of(state_.bytes, "byte"));
  }

  State state_;
  TimePoint now_ = kStoryBegins;
  std::optional<TimePoint> armed_;
  uint64_t next_id_ = 1;
  std::map<Asker, std::string> names_;
  std::vector<std::string> trace_;
};

}  // namespace

std::unique_ptr<Driver> rendezvous_driver() { return std::make_unique<RendezvousDriver>(); }

}  // namespace muster::scenario
