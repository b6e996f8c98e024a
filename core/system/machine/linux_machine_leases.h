// LinuxMachineLeases: MachineLeases as locks on files that all users of the machine share (DESIGN.md §9.11). The
// kernel lets go of a lock when its process dies. Leases must not outlive this object. Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "core/port/machine_info.h"
#include "core/system/linux/shared_folder.h"
#include "core/system/linux/user_names.h"

namespace muster {

// Of all users of this machine.
inline constexpr const char* kMachineLeases = "/tmp/muster-leases";

struct PortRange {
  uint16_t first = 20000;
  uint16_t last = 27999;
};

// Whether nobody on this machine (network namespace) has the TCP port bound, on any address of either family.
bool is_port_free(uint16_t port);

class LinuxMachineLeases final : public MachineLeases {
 public:
  // Errors of a folder that cannot be used come with the first lease.
  explicit LinuxMachineLeases(std::string folder = kMachineLeases, PortRange ports = {});

  Result<LeasedPort> lease_port() override;
  Result<std::unique_ptr<MachineLease>> lease_gpus(const std::vector<std::string>& uuids) override;
  std::unique_ptr<MachineLease> want_gpus(const std::vector<std::string>& uuids) override;
  bool are_wanted(const std::vector<std::string>& uuids) override;
  Result<std::unique_ptr<MachineLease>> claim(const MachineShare& mine, const Refusal& refusal) override;
  Result<std::unique_ptr<MachineLease>> tell(const MachineShare& mine) override;
  std::vector<MachineShare> told() override;

 private:
  Status open_folder();

  const std::string path_;
  const PortRange ports_;
  uint64_t published_ = 0;
  uint32_t next_;  // where to look next, from the range's start
  std::unique_ptr<SharedFolder> folder_;
  UserNames users_;
};

}  // namespace muster
