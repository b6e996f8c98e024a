// SPDX-License-Identifier: Apache-2.0
// LinuxMachineLeases: implements MachineLeases with locks on files that all users of the machine share
// (docs/design/agent.md). The kernel releases a lock when its process ends. Leases must not outlive this object. Loop
// thread only.
#pragma once

#include <memory>
#include <string>

#include "core/port/machine_info.h"
#include "core/system/linux/shared_folder.h"
#include "core/system/linux/user_names.h"

namespace muster {

// The lease folder, shared by all users of this machine.
inline constexpr const char* kMachineLeases = "/tmp/muster-leases";

struct PortRange {
  uint16_t first = 20000;
  uint16_t last = 27999;
};

// Whether no process in this network namespace has bound the TCP port, on any IPv4 or IPv6 address.
bool is_port_free(uint16_t port);

// Removes the files that killed processes of this user left in the folder.
void remove_dead_leases(const std::string& folder);

class LinuxMachineLeases final : public MachineLeases {
 public:
  // If another user keeps us from using the folder, `own_folder` is used, which only this user's processes see; empty: a folder in
  // the runtime folder.
  explicit LinuxMachineLeases(std::string folder = kMachineLeases, PortRange ports = {}, std::string own_folder = "");

  Result<LeasedPort> lease_port() override;
  Result<std::unique_ptr<MachineLease>> lease_gpus(const std::vector<std::string>& uuids) override;
  std::unique_ptr<MachineLease> want_gpus(const std::vector<std::string>& uuids) override;
  bool are_wanted(const std::vector<std::string>& uuids) override;
  Result<std::unique_ptr<MachineLease>> claim(const MachineShare& mine, const Refusal& refusal) override;
  Result<std::unique_ptr<MachineLease>> tell(const MachineShare& mine) override;
  std::vector<MachineShare> told() override;
  std::string blind_spot() const override { return blind_spot_; }

 private:
  Status open_folder();
  Result<std::unique_ptr<SharedFolder>> open_own(const Status& why);

  const std::string path_;
  const PortRange ports_;
  const std::string own_path_;
  std::string blind_spot_;
  uint64_t published_ = 0;
  uint32_t next_;  // the next port to try, relative to the start of the range
  std::unique_ptr<SharedFolder> folder_;
  UserNames users_;
};

}  // namespace muster
