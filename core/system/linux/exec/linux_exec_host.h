// SPDX-License-Identifier: Apache-2.0
// LinuxExecHost: implements ExecHost with pipes and pseudo-terminals, on a LinuxProcessHost. Loop thread only. Destroy every
// exec before that host and the loop.
#pragma once

#include <memory>

#include "core/port/exec_host.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/linux/process/linux_process_host.h"

namespace muster {

class LinuxExecHost final : public ExecHost {
 public:
  LinuxExecHost(FdLoop& loop, LinuxProcessHost& processes) : loop_(loop), processes_(processes) {}

  Result<std::unique_ptr<Exec>> start(const ExecRequest& request, ExecHandlers handlers) override;

 private:
  FdLoop& loop_;
  LinuxProcessHost& processes_;
};

}  // namespace muster
