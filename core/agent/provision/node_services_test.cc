// SPDX-License-Identifier: Apache-2.0
#include "core/agent/provision/node_services.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Strings = std::vector<std::string>;

// A fake service. It writes each call to the notes that all services of a test share.
class PlayedService final : public NodeService {
 public:
  PlayedService(std::string name, Strings& notes) : name_(std::move(name)), notes_(notes) {}

  std::string name() const override { return name_; }
  Status reserve(const Bind&, const NodePorts& ports) override {
    const auto own = ports.by_owner.find(name_);
    if (own != ports.by_owner.end() && own->second.at(0) == taken) return {Code::unavailable, "taken"};
    return {};
  }
  void start(const ServiceStart& start, ServiceEvents given) override {
    notes_.push_back("start " + name_ + " with " + std::to_string(start.ranks().size()) + " ranks");
    events = std::move(given);
    is_stopped = false;
    if (ready_at_once) events.ready();
  }
  RankGift gift(uint32_t index) const override { return {{{name_, "for rank " + std::to_string(index)}}}; }
  RankFault fault(uint32_t, const ExitStatus&) override { return {fault_}; }
  void stop() override {
    notes_.push_back("stop " + name_);
    is_stopped = stops_at_once;
  }
  bool stopped() const override { return is_stopped; }
  void tell(Report& report) override { report.importing = importing; }

  ServiceEvents events;
  bool ready_at_once = true;
  bool stops_at_once = true;
  bool is_stopped = true;
  uint16_t taken = 0;
  TimePoint importing;
  std::string fault_;

 private:
  const std::string name_;
  Strings& notes_;
};

class NodeServicesTest : public testing::Test {
 protected:
  NodeServicesTest() {
    NodeServiceList list;
    for (const char* name : {"first", "second"}) {
      auto service = std::make_unique<PlayedService>(name, notes_);
      (list.empty() ? first_ : second_) = service.get();
      list.push_back(std::move(service));
    }
    services_ = std::make_unique<NodeServices>(
        std::move(list),
        NodeServices::Handlers{[this](const std::string& why) { notes_.push_back("failed: " + why); },
                               [this](const std::string& what) { notes_.push_back(what); },
                               [this] { notes_.push_back("changed"); },
                               [this](uint32_t index) { notes_.push_back("kill " + std::to_string(index)); },
                               [this](auto done) {
                                 notes_.push_back("sweep");
                                 swept_ = std::move(done);
                               }});
  }

  void start(const std::optional<ServiceProgram>& program = std::nullopt) {
    DesiredState desired;
    desired.run = true;
    desired.program = program;
    desired.tasks.resize(1);
    desired.tasks[0].index = 3;
    services_->start({bind_, desired, NodePorts(), [] { return std::vector<SpawnRequest>(1); },
                      [](const RendezvousCall&, const auto& answer) { answer({}); },
                      [this](uint32_t, const auto& gift) {
                        for (const auto& [name, value] : gift.environment) notes_.push_back(name + "=" + value);
                      },
                      [this](const std::string& failure) { notes_.push_back("done" + failure); }});
  }
  Strings notes() { return std::exchange(notes_, {}); }

  Bind bind_;
  Strings notes_;
  std::function<void(uint32_t)> swept_;
  PlayedService* first_ = nullptr;
  PlayedService* second_ = nullptr;
  std::unique_ptr<NodeServices> services_;
};

TEST_F(NodeServicesTest, Start_OneIsSlow_TheNextWaitsForItAndForItsVariables) {
  first_->ready_at_once = false;
  start();
  EXPECT_EQ(notes(), Strings{"start first with 1 ranks"});
  EXPECT_TRUE(services_->starting());
  first_->events.ready();
  EXPECT_EQ(notes(), (Strings{"first=for rank 3", "start second with 1 ranks", "second=for rank 3", "done"}));
  EXPECT_FALSE(services_->starting());
}

TEST_F(NodeServicesTest, Start_OneLetsTheNextStart_RanksWaitForBoth) {
  for (const bool first_is_last : {false, true}) {
    first_->ready_at_once = second_->ready_at_once = false;
    start();
    first_->events.next();
    EXPECT_EQ(notes(), (Strings{"start first with 1 ranks", "start second with 1 ranks"}));
    (first_is_last ? second_ : first_)->events.ready();
    EXPECT_TRUE(services_->starting());
    (first_is_last ? first_ : second_)->events.ready();
    const Strings gifts = notes();
    EXPECT_EQ(gifts.size(), 3u);
    EXPECT_EQ(gifts.back(), "done");
    services_->stop();
    notes();
  }
}

TEST_F(NodeServicesTest, Start_AnEarlierOneFails_TheRanksDoNotStart) {
  first_->ready_at_once = second_->ready_at_once = false;
  start();
  first_->events.next();
  notes();
  first_->events.failed(": it has no disk");
  second_->events.ready();
  EXPECT_EQ(notes(), Strings{"done: it has no disk"});
}

TEST_F(NodeServicesTest, Start_OneFails_NoFurtherOneStarts) {
  first_->ready_at_once = false;
  start();
  notes();
  first_->events.failed(": it has no disk");
  EXPECT_EQ(notes(), Strings{"done: it has no disk"});
}

TEST_F(NodeServicesTest, Failure_AfterTheStart_IsTold) {
  start();
  notes();
  second_->events.failed("its process exited with code 3");
  EXPECT_EQ(notes(), Strings{"failed: its process exited with code 3"});
  const auto reported = [this] {
    Report report;
    services_->tell(report);
    return report.service_failure;
  };
  EXPECT_EQ(reported(), "its process exited with code 3");
  services_->stop();
  EXPECT_EQ(reported(), "its process exited with code 3");
  start();
  EXPECT_EQ(reported(), "");
}

TEST_F(NodeServicesTest, Kill_ARankOfThisAttempt_IsPassedOn) {
  start();
  notes();
  second_->events.kill(3);
  EXPECT_EQ(notes(), Strings{"kill 3"});
  services_->stop();
  notes();
  second_->events.kill(3);
  EXPECT_EQ(notes(), Strings());
}

TEST_F(NodeServicesTest, Fault_OneServiceKnowsIt_IsTold) {
  EXPECT_EQ(services_->fault(3, ExitStatus()).why, "");
  second_->fault_ = "called MPI_Abort(7)";
  EXPECT_EQ(services_->fault(3, ExitStatus()).why, "called MPI_Abort(7)");
}

TEST_F(NodeServicesTest, Abandon_WhileOneStarts_NeitherNextNorDone) {
  first_->ready_at_once = false;
  start();
  notes();
  EXPECT_TRUE(services_->abandon());
  first_->events.ready();
  EXPECT_EQ(notes(), Strings());
  EXPECT_FALSE(services_->abandon());
  first_->events.failed("late");
  EXPECT_EQ(notes(), Strings()) << "the attempt has ended";
}

TEST_F(NodeServicesTest, Stop_OneNeedsTime_IsStoppedOnlyThenAndTells) {
  second_->stops_at_once = false;
  start();
  notes();
  services_->stop();
  EXPECT_EQ(notes(), (Strings{"stop first", "stop second"}));
  EXPECT_FALSE(services_->stopped());
  second_->events.ready();
  second_->events.failed("late");
  second_->events.trouble("late");
  EXPECT_EQ(notes(), Strings()) << "events of an attempt that has ended";
  second_->is_stopped = true;
  second_->events.changed();
  EXPECT_EQ(notes(), Strings{"changed"});
  EXPECT_TRUE(services_->stopped());
}

TEST_F(NodeServicesTest, Stop_AServiceProgramRan_IsStoppedWhenItsProcessesAreKilled) {
  second_->stops_at_once = false;
  start(ServiceProgram());
  notes();
  services_->stop();
  EXPECT_EQ(notes(), (Strings{"stop first", "stop second"}));
  second_->is_stopped = true;
  second_->events.changed();
  EXPECT_EQ(notes(), (Strings{"sweep", "changed"}));
  EXPECT_FALSE(services_->stopped());
  swept_(1);
  EXPECT_EQ(notes(), Strings{"changed"});
  EXPECT_TRUE(services_->stopped());
  second_->stops_at_once = true;
  services_->stop();
  EXPECT_EQ(notes(), (Strings{"stop first", "stop second"})) << "it sweeps once";
}

TEST_F(NodeServicesTest, Reserve_OnePortIsTaken_IsRefused) {
  const NodePorts ports{20000, {{"second", {20001}}}};
  EXPECT_TRUE(services_->reserve(bind_, ports));
  second_->taken = 20001;
  EXPECT_FALSE(services_->reserve(bind_, ports));
}

TEST_F(NodeServicesTest, Tell_AService_AddsWhatItKnows) {
  second_->importing = TimePoint(Duration(5));
  Report report;
  services_->tell(report);
  EXPECT_EQ(report.importing, second_->importing);
}

}  // namespace
}  // namespace muster
