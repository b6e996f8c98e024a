// SPDX-License-Identifier: Apache-2.0
#include "backends/testing/fake_backend.h"

#include "backends/testing/conformance.h"
#include "test/sim/sim_loop.h"

namespace muster {
namespace {

class FakeLab final : public BackendLab {
 public:
  FakeLab() { reopen(); }

  FakeBackend& backend() override { return *backend_; }
  void wait(Duration duration) override { loop_.run_for(duration); }
  void refuse_places(bool refuse) override { refuse_ = refuse; }
  void say_hello(size_t agent, std::unique_ptr<ChannelToAgent> channel) override {
    Hello hello;
    hello.guardian.pid = guardian_of(agent);
    backend_->agent_arrived({std::move(channel), hello});
  }
  void die(size_t agent) override {
    alive_[agent] = false;
    loop_.post([this, agent] { backend_->guardian_ended(guardian_of(agent), "exited with code 1"); });
  }
  bool was_ended(size_t agent) const override { return ended_[agent]; }
  void reopen() override {
    backend_ = std::make_unique<FakeBackend>(
        loop_, Inventory{},
        FakeAgents{
            [this](const NodeRef&) { return start(); },
            [this](int64_t guardian) { return guardian >= kFirst && alive_[static_cast<size_t>(guardian - kFirst)]; },
            [this](int64_t guardian) { ended_[static_cast<size_t>(guardian - kFirst)] = true; }});
  }

 private:
  static constexpr int64_t kFirst = 100;
  static int64_t guardian_of(size_t agent) { return kFirst + static_cast<int64_t>(agent); }

  Result<int64_t> start() {
    if (refuse_) return Status(Code::resource_exhausted, "no more processes");
    alive_.push_back(true);
    ended_.push_back(false);
    return guardian_of(alive_.size() - 1);
  }

  sim::SimLoop loop_;
  bool refuse_ = false;
  std::vector<bool> alive_;
  std::vector<bool> ended_;
  std::unique_ptr<FakeBackend> backend_;
};

std::unique_ptr<BackendLab> make_fake_lab() { return std::make_unique<FakeLab>(); }

}  // namespace

INSTANTIATE_TEST_SUITE_P(Fake, BackendConformance, testing::Values(&make_fake_lab));
INSTANTIATE_TEST_SUITE_P(Fake, StarterConformance, testing::Values(&make_fake_lab));

}  // namespace muster
