// SPDX-License-Identifier: Apache-2.0
// The composition root: creates controllers inside a command. Loop thread only.
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
#include "core/port/host_link.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class FdLoop;  // core/system/asio
struct CallerContext;

// Controller, coordinator and store in this process (run --standalone). The destructor ends them and their jobs.
class Hosted {
 public:
  virtual ~Hosted() = default;
  virtual ControlClient& client() = 0;
  virtual NodeIndex node() const { return 0; }      // this host's node of the job
  virtual bool has_execs() const { return false; }  // other hosts are connected that must be told the end of the job
};
// Makes the links to the hosts of jobs; `take` gets the streams of agents. Empty: the user's ssh.
using MakeHostLinks =
    std::function<std::unique_ptr<HostLinks>(std::function<void(UniqueFd stream, const std::string& peer)> take)>;
Result<std::unique_ptr<Hosted>> host_controller(const CallerContext& caller, FdLoop& loop,
                                                const MakeHostLinks& links = nullptr);

// The environment variable with the secret that all hosts share. It turns on TLS between them.
constexpr const char* kTokenVariable = "MUSTER_TOKEN";

// One host of a job whose hosts the user starts by hand.
struct GangPlace {
  enum class Part { first, other, whoever_listens };
  Part part = Part::first;
  HostOffer offer;
  std::string endpoint;  // as the user typed it: "node-a:29400"
  std::string listen;    // numeric address at which the first host listens
  bool foreign =
      false;  // the first host's address does not belong to this machine: it is forwarded here, or it is the wrong host
  std::string dial;  // numeric address to which the other hosts connect
  uint16_t port = 0;
  std::optional<std::string> token;  // the secret for TLS; nullopt: everyone who reaches the port may join
  Duration patience{0};              // how long to wait for the minimum number of hosts
  Duration last_call{0};             // after that: how long to wait for more hosts
  Duration later_call{0};            // the same, after a host was lost or joined
};

// A host of the job. The first host runs the controller. Other hosts represent it and show a copy of the job.
class Gang : public Hosted {
 public:
  struct Handlers {
    std::function<void(const Status&)> assembled;    // called once: submit() now returns the job; or the error
    std::function<void(const Status&)> lost;         // called later, if this host has lost the job
    std::function<void(const std::string&)> remark;  // progress while the user waits
  };
  virtual void assemble(Handlers handlers) = 0;
  // Cancels before `assembled`. Tells the other hosts, then calls `assembled` with the error.
  virtual void leave(const std::string& why) = 0;
};

// `request` is submitted when all hosts have joined. On other hosts than the first, only its command, folder and environment are
// used. unavailable: cannot listen at the port; invalid_argument: the token is too short.
Result<std::unique_ptr<Gang>> open_gang(const CallerContext& caller, FdLoop& loop, const GangPlace& place,
                                        const SubmitRequest& request);

// The part of this machine that a job submitted here may use. For render and doctor.
Result<Inventory> machine_inventory(const CallerContext& caller);
Result<Inventory> machine_inventory(const CallerContext& caller, Log& log);

// Number of GPUs that a job submitted here may use; 0 without a driver.
uint32_t gpus_here(const CallerContext& caller);

// The main functions of `muster serve` and `muster agent`. The agent connects to `socket`. `inside`: its controller is a command inside a
// job, whose connection may be lost for a while. They return the exit code.
int serve_main(const CallerContext& caller);
int agent_main(const CallerContext& caller, const std::string& socket, bool inside);

}  // namespace muster
