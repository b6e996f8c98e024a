// SPDX-License-Identifier: Apache-2.0
// LinuxLeftoverHost: implements LeftoverHost with /proc. Loop thread only.
#pragma once

#include "core/port/leftover_host.h"
#include "core/system/linux/process/linux_process_host.h"

namespace muster {

class LinuxLeftoverHost final : public LeftoverHost {
 public:
  // `processes` must outlive this object.
  explicit LinuxLeftoverHost(LinuxProcessHost& processes) : processes_(processes) {}
  ~LinuxLeftoverHost() override { processes_.on_orphan_end(nullptr); }

  std::vector<Leftover> leftovers() override;
  bool sees_processes() override;
  bool reads_from_another(const Leftover& leftover, const std::vector<Leftover>& all) override;
  LeftoverOrigin origin(const Leftover& leftover) override;
  bool holds_device_or_port(const Leftover& leftover) override;
  void signal(const Leftover& leftover, int number) override;
  void on_child_end(std::function<void()> handler) override { processes_.on_orphan_end(std::move(handler)); }

 private:
  LinuxProcessHost& processes_;
};

}  // namespace muster
