// Ended: lets an owner wait until gRPC's last call into an object is over. The thread that signals touches nothing
// else afterwards, so the owner may destroy the object at once. Internal to adapter/grpc.
#pragma once

#include <future>
#include <memory>

namespace muster {

class Ended {
 public:
  // What the last callback keeps in a local variable and calls at its very end, once.
  std::shared_ptr<std::promise<void>> signal() const { return promise_; }
  void wait() const { future_.wait(); }

 private:
  std::shared_ptr<std::promise<void>> promise_ = std::make_shared<std::promise<void>>();
  std::future<void> future_ = promise_->get_future();
};

}  // namespace muster
