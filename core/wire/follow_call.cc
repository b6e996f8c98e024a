// SPDX-License-Identifier: Apache-2.0
#include "core/wire/follow_call.h"

#include <utility>

#include "core/wire/settings.h"
#include "core/wire/values/convert.h"

namespace muster {
namespace {

class GrpcFollowSink final : public FollowSink {
 public:
  explicit GrpcFollowSink(std::shared_ptr<FollowCall> call) : call_(std::move(call)) {}
  ~GrpcFollowSink() override { call_->let_go(); }
  bool write(const FollowItem& item) override { return call_->write(item); }
  void listen(std::function<void()> writable, std::function<void()> gone) override {
    call_->listen(std::move(writable), std::move(gone));
  }
  void finish(const Status& status) override { call_->end(status); }

 private:
  std::shared_ptr<FollowCall> call_;
};

}  // namespace

void FollowCall::accept(LiveCalls& calls, Service& service, JobReadService& control) {
  const auto call = std::make_shared<FollowCall>(calls, service, control);
  calls.add(call);
  FollowCall& self = *call;
  self.done_tag_ = self.kept_tag([&self](bool) { self.viewer_left(); });
  self.grpc_->context.AsyncNotifyWhenDone(self.done_tag_);
  Grpc& its = *self.grpc_;
  service.RequestFollow(&its.context, &its.request, &its.stream, calls.queue(), calls.queue(),
                        self.arrival_tag([&self](bool ok) { self.arrived(ok); }));
}

void FollowCall::arrived(bool ok) {
  if (!ok) return;
  accept(calls_, service_, control_);
  grpc_->context.AddTrailingMetadata(kOwnStatus, "1");
  Status trouble;
  const FollowRequest request = from_wire(grpc_->request, trouble);
  if (!trouble.ok()) return finish(trouble);
  const auto self = std::static_pointer_cast<FollowCall>(shared_from_this());
  control_.follow(request, std::make_unique<GrpcFollowSink>(self));
}

void FollowCall::free_grpc() {
  CompletionThread::drop(done_tag_);
  grpc_.reset();
}

bool FollowCall::write(const FollowItem& item) {
  if (finished_ || ending_) return false;
  outbox_.push(to_wire(item));
  pump();
  blocked_ = outbox_.bytes() >= kFollowWindowBytes;
  return !blocked_;
}

void FollowCall::listen(std::function<void()> writable, std::function<void()> gone) {
  if (!finished_) handlers_ = std::make_shared<Handlers>(Handlers{std::move(writable), std::move(gone)});
}

void FollowCall::end(const Status& status) {
  if (std::exchange(ending_, true) || finished_) return;
  wire::FollowItem last;
  *last.mutable_end() = to_wire(Status(status.code(), status.message().substr(0, kMaxSentenceBytes)));
  outbox_.push(std::move(last));
  pump();
}

void FollowCall::let_go() {
  handlers_.reset();
  end(Status(Code::cancelled, "the controller ended this stream"));
}

void FollowCall::wrote(bool ok) {
  outbox_.written();
  if (!ok) return viewer_left();
  pump();
  tell_writable();
}

void FollowCall::pump() {
  if (finished_) return;
  if (const wire::FollowItem* item = outbox_.next()) {
    grpc::WriteOptions options;
    if (outbox_.more()) options.set_buffer_hint();  // one system call for several items
    return grpc_->stream.Write(*item, options, tag([this](bool ok) { wrote(ok); }));
  }
  if (ending_ && outbox_.empty()) finish(Status());
}

void FollowCall::tell_writable() {
  if (finished_ || !blocked_ || outbox_.bytes() >= kFollowWindowBytes / 2) return;
  blocked_ = false;
  if (const auto handlers = handlers_; handlers && handlers->writable) handlers->writable();
}

void FollowCall::viewer_left() {
  if (finished_) return;
  const auto handlers = handlers_;
  finish(Status(Code::cancelled, "the viewer has left"));
  if (handlers && handlers->gone) handlers->gone();
}

void FollowCall::finish(const Status& status) {
  if (std::exchange(finished_, true)) return;
  grpc_->stream.Finish(grpc_status(status), tag([](bool) {}));
  handlers_.reset();
}

void FollowCall::abandon() {
  if (!arrived_ || finished_) return;
  const auto handlers = handlers_;
  finish(Status(Code::unavailable, "the controller is shutting down"));
  // In a later turn of the loop: the server is being destroyed now.
  if (handlers && handlers->gone) calls_.loop().post([handlers] { handlers->gone(); });
}

}  // namespace muster
