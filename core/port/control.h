// Control: a controller seen from outside its process. ControlService is what the controller offers (adapter/grpc
// serves it); ControlClient is what commands use. The same words, two directions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/control_messages.h"
#include "core/port/guest_channel.h"

namespace muster {

inline constexpr size_t kMostEndedListed = 20;

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
  // Not `all`: those that live, and of the last hour's ended ones the newest kMostEndedListed. Oldest first.
  virtual std::vector<JobView> list(const ListRequest& request) = 0;
  virtual Result<JobView> describe(const DescribeRequest& request) = 0;
  virtual void follow(const FollowRequest& request, std::unique_ptr<FollowSink> sink) = 0;
  // SIGKILL: at once; else `signal` (mostly SIGTERM), then SIGKILL after `grace` (negative: the job's timeouts.stop).
  virtual Status stop(const std::string& job, int signal, Duration grace) = 0;
  // Ok: it stands so, and perhaps runs by now. failed_precondition: it waits no more, or what it is to be moved beside
  // does not.
  virtual Result<JobView> arrange(const ArrangeRequest& request) = 0;
  // failed_precondition while the job is not done.
  virtual Status remove(const std::string& job) = 0;
  virtual Result<Pruned> prune(const PruneRequest& request) = 0;
  virtual Status type(const TtyBytes& typed) = 0;
  // Which code the job was submitted with (SubmitRequest::code_commit), where that was not known yet. It may have ended meanwhile.
  virtual Status note_code(const std::string& job, const std::string& commit) = 0;
  // Runs a program beside a rank. The viewer hears of it on `viewer`, up to a GuestEnd, which also tells why there is none.
  virtual void exec(const GuestStart& start, std::unique_ptr<GuestChannel> viewer) = 0;
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
  virtual Result<std::vector<JobView>> list(const ListRequest& request) = 0;
  virtual Result<JobView> describe(const DescribeRequest& request) = 0;
  virtual Status stop(const std::string& job, int signal, Duration grace) = 0;
  virtual Result<JobView> arrange(const ArrangeRequest& request) = 0;
  virtual Status remove(const std::string& job) = 0;
  virtual Result<Pruned> prune(const PruneRequest& request) = 0;
  virtual Status type(const TtyBytes& typed) = 0;
  virtual Status note_code(const std::string& job, const std::string& commit) = 0;
  virtual Result<ControllerInfo> info() = 0;
  virtual Result<uint32_t> end_idle_agents() = 0;
  virtual Status shutdown(bool force) = 0;

  // `on_item` and then `on_end` run on the loop the client was made with; the next item comes after the handler
  // returned. Ends with unavailable when the controller goes away. Destroying the returned object ends the follow
  // silently.
  class Following {
   public:
    virtual ~Following() = default;
    // Held in a handler: neither an item nor the end comes before it is let go.
    virtual void hold(bool held) = 0;
  };
  // A program beside a rank. Its frames come until a GuestEnd; destroying the channel ends the program.
  virtual std::unique_ptr<GuestChannel> exec(const GuestStart& start) = 0;

  virtual std::unique_ptr<Following> follow(const FollowRequest& request,
                                            std::function<void(const FollowItem&)> on_item,
                                            std::function<void(const Status&)> on_end) = 0;
};

}  // namespace muster
