// The calls of a communicator: checked, numbered, watched, carried.
#include <limits>

#include "core/worker/collective/communicator.h"

namespace muster::worker {
namespace {

// NCCL: how many calls a rank remembers of what it put on the stream, to be compared when they stall.
constexpr size_t most_unfinished = 64;

}  // namespace

Status Communicator::all_reduce(const void* in, void* out, size_t count, Type type, Reduce reduce) {
  return perform(Call{.kind = Kind::all_reduce, .type = type, .reduce = reduce, .count = count}, in, out);
}

Status Communicator::reduce_scatter(const void* in, void* out, size_t count, Type type, Reduce reduce) {
  return perform(Call{.kind = Kind::reduce_scatter, .type = type, .reduce = reduce, .count = count}, in, out);
}

Status Communicator::all_gather(const void* in, void* out, size_t count, Type type) {
  return perform(Call{.kind = Kind::all_gather, .type = type, .count = count}, in, out);
}

Status Communicator::broadcast(void* data, size_t count, Type type, uint32_t root) {
  return perform(Call{.kind = Kind::broadcast, .type = type, .from = root, .count = count}, data, data);
}

Status Communicator::send(const void* data, size_t count, Type type, uint32_t to) {
  return perform(Call{.kind = Kind::send, .type = type, .from = rank(), .to = to, .count = count}, data, nullptr);
}

Status Communicator::receive(void* data, size_t count, Type type, uint32_t from) {
  return perform(Call{.kind = Kind::receive, .type = type, .from = from, .to = rank(), .count = count}, nullptr, data);
}

Status Communicator::barrier() { return perform(Call{.kind = Kind::barrier}, nullptr, nullptr); }

Status Communicator::check(const Call& call, const void* in, const void* out) const {
  std::string wrong;
  const bool takes = call.kind != Kind::receive && call.kind != Kind::barrier;
  const bool gives = call.kind != Kind::send && call.kind != Kind::barrier;
  const bool spreads = call.kind == Kind::reduce_scatter || call.kind == Kind::all_gather;
  if (call.count > 0 && ((takes && in == nullptr) || (gives && out == nullptr))) wrong = "its buffer is null";
  if (call.from >= size() || call.to >= size()) {
    wrong = "there is no rank " + std::to_string(std::max(call.from, call.to)) + " in a communicator of " +
            std::to_string(size());
  }
  if (call.point_to_point() && call.from == call.to) wrong = "a rank cannot exchange messages with itself";
  if (call.reduce == Reduce::average && is_integer(call.type))
    wrong = "integers have no average; reduce by sum and divide";
  if (call.type == Type::bfloat16 && backend() == Backend::gloo)
    wrong = "bfloat16 is for NCCL; Gloo has float16 and float32";
  if (call.count > std::numeric_limits<size_t>::max() / bytes_of(call.type) / (spreads ? size() : 1)) {
    wrong = "no memory is that large";
  }
  if (wrong.empty()) return Status();
  return Status(Code::invalid_argument, describe(call, roster_.names()) + " in `" + roster_.name + "`: " + wrong);
}

Status Communicator::perform(Call call, const void* in, void* out) {
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
  // On the stream: done when synchronize() says so.
  if (unfinished_.size() == most_unfinished) unfinished_.erase(unfinished_.begin());
  unfinished_.push_back(call);
  watch_.leave(false);
  return Status();
}

Status Communicator::synchronize() {
  std::lock_guard lock(calls_);
  if (backend() == Backend::gloo) return watch_.failure();
  if (Status broken = watch_.enter(unfinished_); !broken.ok()) return broken;
  const Status status = finish(transport_->synchronize());
  unfinished_.clear();
  return status;
}

Status Communicator::finish(const std::optional<Broken>& broken) {
  if (!broken) {
    watch_.leave(true);
    return Status();
  }
  const Status status = watch_.explain(*broken);
  watch_.leave(false);
  // Peers that wait for this rank see the end of the connection and find the reason in the store.
  transport_->close();
  return status;
}

}  // namespace muster::worker
