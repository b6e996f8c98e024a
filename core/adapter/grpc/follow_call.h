// FollowCall: one viewer's stream, seen from the controller's side. Internal to adapter/grpc; threads as in
// live_calls.h.
//
// The end travels as the last item (control.proto), so that nothing before it is lost.
#pragma once

#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>

#include "core/adapter/grpc/live_calls.h"
#include "core/adapter/grpc/outbox.h"
#include "core/port/control.h"
#include "proto/control.pb.h"

namespace muster {

class FollowCall final : public grpc::ServerWriteReactor<wire::FollowItem>,
                         public LiveCall,
                         public std::enable_shared_from_this<FollowCall> {
 public:
  explicit FollowCall(LiveCalls& calls) : calls_(calls) {}

  // Hands a sink to the service. Loop thread, as all that follows.
  void begin(ControlService& service, const FollowRequest& request);
  // Ends without a service: the server is closed, or the request cannot be read.
  void refuse(const Status& status);

  // What the sink does.
  bool write(const FollowItem& item);
  void listen(std::function<void()> writable, std::function<void()> gone);
  void end(const Status& status);
  void let_go();

  void abandon() override;

 private:
  struct Handlers {
    std::function<void()> writable;
    std::function<void()> gone;
  };

  // gRPC's threads.
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override { calls_.remove(this); }

  // Loop thread.
  void wrote(bool ok);
  void pump();
  void tell_writable();
  void viewer_left();
  void finish(const Status& status);

  LiveCalls& calls_;

  // Loop thread's own.
  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the sink
  Outbox<wire::FollowItem> outbox_;
  bool blocked_ = false;   // a write was answered with false
  bool ending_ = false;    // the last item is queued
  bool finished_ = false;
};

}  // namespace muster
