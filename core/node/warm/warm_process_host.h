// SPDX-License-Identifier: Apache-2.0
// WarmProcessHost: a ProcessHost that forks Python ranks from a warm parent if possible (WarmImports), and executes all
// other programs. Loop thread only.
#pragma once

#include "core/node/warm/warm_imports.h"
#include "core/system/linux/process/linux_process_host.h"

namespace muster {

class WarmProcessHost final : public ProcessHost {
 public:
  WarmProcessHost(LinuxProcessHost& host, WarmImports& imports) : host_(host), imports_(imports) {}

  Result<ProcessHandle> spawn(const SpawnRequest& request, ExitHandler on_exit) override;

  Result<ProcessHandle> adopt(const ProcessIdentity& identity, ExitHandler on_exit) override {
    return host_.adopt(identity, std::move(on_exit));
  }
  ProcessIdentity identity(ProcessHandle process) const override { return host_.identity(process); }
  void signal(ProcessHandle process, int number, SignalReach reach) override { host_.signal(process, number, reach); }
  void sweep(const std::set<int64_t>& spared, std::function<void(uint32_t killed)> done) override {
    host_.sweep(spared, std::move(done));
  }
  void end_marked(const std::vector<std::string>& marks, std::function<void()> done) override {
    host_.end_marked(marks, std::move(done));
  }
  void write_tty(ProcessHandle process, std::string_view bytes) override { host_.write_tty(process, bytes); }
  void resize_tty(ProcessHandle process, uint16_t rows, uint16_t columns) override {
    host_.resize_tty(process, rows, columns);
  }

 private:
  LinuxProcessHost& host_;
  WarmImports& imports_;
};

}  // namespace muster
