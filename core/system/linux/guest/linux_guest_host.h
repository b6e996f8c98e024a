// LinuxGuestHost: GuestHost over pipes and pseudo-terminals of a LinuxProcessHost. Loop thread only; guests go before that host
// and the loop do.
#pragma once

#include <memory>

#include "core/port/guest_host.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/linux/process/linux_process_host.h"

namespace muster {

class LinuxGuestHost final : public GuestHost {
 public:
  LinuxGuestHost(FdLoop& loop, LinuxProcessHost& processes) : loop_(loop), processes_(processes) {}

  Result<std::unique_ptr<Guest>> start(const GuestRequest& request, GuestHandlers handlers) override;

 private:
  FdLoop& loop_;
  LinuxProcessHost& processes_;
};

}  // namespace muster
