// SPDX-License-Identifier: Apache-2.0
// MachineLeases for tests, with the shares in a list. Tests only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/port/machine_info.h"

namespace muster {

// The shares that all users' muster processes report on one machine.
class SharedLeases final : public MachineLeases {
 public:
  Result<LeasedPort> lease_port() override { return Status(Code::unimplemented, "no ports here"); }
  Result<std::unique_ptr<MachineLease>> lease_gpus(const std::vector<std::string>&) override {
    return Status(Code::unimplemented, "no GPUs here");
  }
  std::unique_ptr<MachineLease> want_gpus(const std::vector<std::string>&) override { return nullptr; }
  bool are_wanted(const std::vector<std::string>&) override { return false; }
  Result<std::unique_ptr<MachineLease>> claim(const MachineShare& mine, const Refusal& refusal) override {
    if (const std::string why = refusal(shares); !why.empty()) return Status(Code::unavailable, why);
    return tell(mine);
  }
  Result<std::unique_ptr<MachineLease>> tell(const MachineShare& mine) override {
    shares.push_back(mine);
    return std::unique_ptr<MachineLease>(std::make_unique<Told>(shares, mine.job));
  }
  std::vector<MachineShare> told() override { return shares; }
  std::string blind_spot() const override { return ""; }

  std::vector<MachineShare> shares;

 private:
  class Told final : public MachineLease {
   public:
    Told(std::vector<MachineShare>& shares, std::string job) : shares_(shares), job_(std::move(job)) {}
    ~Told() override {
      std::erase_if(shares_, [&](const MachineShare& each) { return each.job == job_; });
    }

   private:
    std::vector<MachineShare>& shares_;
    const std::string job_;
  };
};

}  // namespace muster
