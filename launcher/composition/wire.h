// The composition root: where a command gets its controller from. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/base/result.h"
#include "core/job/plan/plan.h"
#include "core/port/agent_messages.h"
#include "core/port/control.h"

namespace muster {

class FdLoop;  // core/system/asio
struct CallerContext;

// Controller, coordinator and store in this process (run --standalone). They end with the object, and their jobs with
// them.
class Hosted {
 public:
  virtual ~Hosted() = default;
  virtual ControlClient& client() = 0;
  virtual NodeIndex node() const { return 0; }      // of the job: this host
  virtual bool has_execs() const { return false; }  // other hosts have yet to hear how the job ended
};
Result<std::unique_ptr<Hosted>> host_controller(const CallerContext& caller, FdLoop& loop);

// The environment variable that turns on TLS between hosts: a secret that all of them know.
constexpr const char* kTokenVariable = "MUSTER_TOKEN";

// A job whose hosts were typed by hand, seen from one of them.
struct GangPlace {
  enum class Part { first, other, whoever_listens };
  Part part = Part::first;
  HostOffer offer;
  std::string endpoint;  // as typed: "node-a:29400"
  std::string listen;    // numeric; where the first listens
  bool foreign =
      false;  // the first's address is none of this machine: one before it leads here, or it was typed on the wrong host
  std::string dial;  // numeric; where the others find it
  uint16_t port = 0;
  std::optional<std::string> token;  // of all its hosts: TLS; nothing: whoever reaches the port may join
  Duration patience{0};              // until the fewest hosts are there
  Duration last_call{0};             // from then on for more
  Duration later_call{0};            // likewise, after one was lost or came
};

// The first host hosts the job's controller; another stands for it, and shows a copy of the job.
class Gang : public Hosted {
 public:
  struct Handlers {
    std::function<void(const Status&)> assembled;    // once: submit() gives the job now; or why it does not begin
    std::function<void(const Status&)> lost;         // later: this host and the job have parted
    std::function<void(const std::string&)> remark;  // while people wait
  };
  virtual void assemble(Handlers handlers) = 0;
  // Before `assembled`: the user wants no more. The other hosts are told; then `assembled` says so.
  virtual void leave(const std::string& why) = 0;
};

// `request`: what is to be submitted once assembled; of another host than the first its command, folder and environment count.
// unavailable: the port is taken, or cannot be listened at; invalid_argument: the token is too short.
Result<std::unique_ptr<Gang>> open_gang(const CallerContext& caller, FdLoop& loop, const GangPlace& place,
                                        const SubmitRequest& request);

// What of this machine a job submitted from here may have. Never a job's business: for render and doctor.
Result<Inventory> machine_inventory(const CallerContext& caller);
Result<Inventory> machine_inventory(const CallerContext& caller, Log& log);

// The GPUs that a job from here may see; without a driver nothing is asked.
uint32_t gpus_here(const CallerContext& caller);

// `muster serve` and `muster agent`, which dials `socket`. They return the exit code.
int serve_main(const CallerContext& caller);
int agent_main(const CallerContext& caller, const std::string& socket);

}  // namespace muster
