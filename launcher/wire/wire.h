// The composition root: where a command gets its controller from. Loop thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/plan.h"
#include "core/port/control.h"

namespace muster {

class FdLoop;  // core/adapter/asio
struct Surroundings;

// Connects to the user's controller, starting it when absent and `start`. Fails with unavailable when there is none and
// none could be started; the sentence says why. With `start` the client finds the next controller by itself when one
// leaves; `surroundings` and `loop` outlive it.
Result<std::unique_ptr<ControlClient>> connect_controller(const Surroundings& surroundings, FdLoop& loop, bool start);

// Controller, coordinator and store in this process (run --standalone). They end with the object, and their jobs with
// them.
class Hosted {
 public:
  virtual ~Hosted() = default;
  virtual ControlClient& client() = 0;
};
Result<std::unique_ptr<Hosted>> host_controller(const Surroundings& surroundings, FdLoop& loop);

// What of this machine a job submitted from here may have. Never a job's business: for render and doctor.
Result<Inventory> machine_inventory(const Surroundings& surroundings);

// The GPUs that a job from here may see; without a driver nothing is asked.
uint32_t gpus_here(const Surroundings& surroundings);

// Where the user's controller keeps its things; absolute; empty when that cannot be told. Not made.
std::string state_folder(const Surroundings& surroundings);

// `muster serve` and `muster agent`, which dials `socket`. They return the exit code.
int serve_main(const Surroundings& surroundings);
int agent_main(const Surroundings& surroundings, const std::string& socket);

}  // namespace muster
