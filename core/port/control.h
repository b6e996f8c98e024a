// Control: a controller seen from outside its process. ControlService is what the controller offers (adapter/grpc
// serves it); ControlClient is what commands use. The same words, two directions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/control_messages.h"

namespace muster {

// The receiving end of a follow, held by the service. Loop thread only. Destroying it ends the stream.
class FollowSink {
 public:
  virtual ~FollowSink() = default;
  // Queued, whatever the answer. False: the window (1 MiB) is full now, or the viewer is gone; keep what is next until
  // `on_writable`.
  virtual bool write(const FollowItem& item) = 0;
  // `writable` runs when the window has room again; `gone` once, when the viewer has left. Set once.
  virtual void listen(std::function<void()> writable, std::function<void()> gone) = 0;
  // After everything written: the end, with its status.
  virtual void finish(const Status& status) = 0;
};

// Loop thread only; `done` may run in the same turn.
class ControlService {
 public:
  virtual ~ControlService() = default;
  virtual void submit(const SubmitRequest& request, std::function<void(Result<JobView>)> done) = 0;
  virtual std::vector<JobView> list(bool all) = 0;
  virtual Result<JobView> describe(const std::string& job) = 0;
  virtual void follow(const FollowRequest& request, std::unique_ptr<FollowSink> sink) = 0;
  // SIGKILL: at once; else `signal` (mostly SIGTERM), then SIGKILL after `grace` (negative: the job's timeouts.stop).
  virtual Status stop(const std::string& job, int signal, Duration grace) = 0;
  // failed_precondition while the job is not done.
  virtual Status remove(const std::string& job) = 0;
  virtual Status type(const TtyBytes& typed) = 0;
  virtual ControllerInfo info() = 0;
  // Sends agents away that wait for a job; how many.
  virtual uint32_t end_idle_agents() = 0;
  // Leaves once no job is live; failed_precondition names the live ones unless `force` (their agents go on).
  virtual Status shutdown(bool force) = 0;
};

// What a command holds. Every call but follow blocks for at most its deadline (10 s); unavailable: no controller there.
class ControlClient {
 public:
  virtual ~ControlClient() = default;
  virtual Result<JobView> submit(const SubmitRequest& request) = 0;
  virtual Result<std::vector<JobView>> list(bool all) = 0;
  virtual Result<JobView> describe(const std::string& job) = 0;
  virtual Status stop(const std::string& job, int signal, Duration grace) = 0;
  virtual Status remove(const std::string& job) = 0;
  virtual Status type(const TtyBytes& typed) = 0;
  virtual Result<ControllerInfo> info() = 0;
  virtual Result<uint32_t> end_idle_agents() = 0;
  virtual Status shutdown(bool force) = 0;

  // `on_item` and then `on_end` run on the loop the client was made with; the next item comes after the handler
  // returned. Ends with unavailable when the controller goes away. Destroying the returned object ends the follow
  // silently.
  class Following {
   public:
    virtual ~Following() = default;
  };
  virtual std::unique_ptr<Following> follow(const FollowRequest& request,
                                            std::function<void(const FollowItem&)> on_item,
                                            std::function<void(const Status&)> on_end) = 0;
};

}  // namespace muster
