// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/carrier.h"

#include <algorithm>
#include <limits>

namespace muster::worker {
namespace {

// NCCL: the number of calls on the stream that a rank remembers, to be compared with other ranks if they stall.
constexpr size_t most_unfinished = 64;

}  // namespace

Carrier::Carrier(Meeting& meeting, const Roster& roster, Duration timeout)
    : meeting_(meeting),
      roster_(roster),
      watch_(meeting, roster_, timeout, [this] { interrupt(); }) {
  on_broken_ = meeting_.on_broken([this](const std::string& why) {
    watch_.fail(Status(Code::aborted, "`" + roster_.name + "` cannot continue: " + why));
  });
}

Carrier::~Carrier() {
  // The meeting and the watch may interrupt the transport, which is destroyed next.
  meeting_.forget(on_broken_);
  watch_.stop();
}

void Carrier::adopt(std::unique_ptr<Transport> transport) {
  std::lock_guard lock(transport_mutex_);
  transport_ = std::move(transport);
  // The communicator may have failed before there was a transport to interrupt.
  if (!watch_.failure().ok()) transport_->interrupt();
}

void Carrier::interrupt() {
  std::lock_guard lock(transport_mutex_);
  if (transport_) transport_->interrupt();
}

Status Carrier::unmet(const Status& fence, const std::string& doing) {
  if (const Status known = watch_.failure(); !known.ok()) return known;
  const std::string why = fence.code() == Code::deadline_exceeded ? "" : meeting_.broken(Duration::zero());
  if (why.empty()) return fence.with_context(doing + " `" + roster_.name + "`");
  return Status(Code::aborted, "`" + roster_.name + "` cannot continue: " + why);
}

Status Carrier::check(const Call& call, const void* in, const void* out) const {
  std::string wrong;
  const bool takes = call.kind != Kind::receive && call.kind != Kind::barrier;
  const bool gives = call.kind != Kind::send && call.kind != Kind::barrier;
  const bool spreads = call.kind == Kind::reduce_scatter || call.kind == Kind::all_gather;
  if (call.count > 0 && ((takes && in == nullptr) || (gives && out == nullptr))) wrong = "its buffer is null";
  if (call.from >= roster_.size() || call.to >= roster_.size()) {
    wrong = "there is no rank " + std::to_string(std::max(call.from, call.to)) + " in a communicator of " +
            std::to_string(roster_.size());
  }
  if (call.point_to_point() && call.from == call.to) wrong = "a rank cannot exchange messages with itself";
  if (call.reduce == Reduce::average && is_integer(call.type))
    wrong = "integers have no average; reduce by sum and divide";
  if (call.type == Type::bfloat16 && backend() == Backend::gloo)
    wrong = "bfloat16 needs NCCL; Gloo has float16 and float32";
  if (call.count > std::numeric_limits<size_t>::max() / bytes_of(call.type) / (spreads ? roster_.size() : 1)) {
    wrong = "the buffer size exceeds the address space";
  }
  if (wrong.empty()) return Status();
  return Status(Code::invalid_argument, describe(call, roster_.names()) + " in `" + roster_.name + "`: " + wrong);
}

Status Carrier::perform(Call call, const void* in, void* out) {
  if (Status wrong = check(call, in, out); !wrong.ok()) return wrong;
  std::lock_guard lock(calls_);
  call.collectives = collectives_;
  call.number = (call.point_to_point() ? messages_[{call.from, call.to}] : collectives_) + 1;
  std::vector<Call> calls = unfinished_;
  calls.push_back(call);
  if (Status broken = watch_.enter(std::move(calls)); !broken.ok()) return broken;
  (call.point_to_point() ? messages_[{call.from, call.to}] : collectives_) = call.number;
  const auto broken = transport_->run(call, in, out);
  if (broken) return finish(broken);
  if (backend() == Backend::gloo) return finish(std::nullopt);
  // The call is on the stream; synchronize() waits for it.
  if (unfinished_.size() == most_unfinished) unfinished_.erase(unfinished_.begin());
  unfinished_.push_back(call);
  watch_.leave(false);
  return Status();
}

Status Carrier::synchronize() {
  std::lock_guard lock(calls_);
  if (backend() == Backend::gloo) return watch_.failure();
  if (Status broken = watch_.enter(unfinished_); !broken.ok()) return broken;
  const Status status = finish(transport_->synchronize());
  unfinished_.clear();
  return status;
}

Status Carrier::open(const std::function<std::optional<Broken>()>& work) {
  std::lock_guard lock(calls_);
  if (Status broken = watch_.enter({}); !broken.ok()) return broken;
  return finish(work());
}

Status Carrier::finish(const std::optional<Broken>& broken) {
  if (!broken) {
    watch_.leave(true);
    return Status();
  }
  const Status status = watch_.explain(*broken);
  watch_.leave(false);
  // Peers that wait for this rank see the closed connection and find the reason in the store.
  transport_->close();
  return status;
}

}  // namespace muster::worker
