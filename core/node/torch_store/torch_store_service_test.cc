// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/torch_store_service.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

// A loop whose time a test sets.
class StillLoop final : public Loop {
 public:
  TimePoint now() const override { return time; }
  void post(std::function<void()>) override {}
  TimerId at(TimePoint, std::function<void()>) override { return 0; }
  void cancel(TimerId) override {}
  TimePoint time{std::chrono::seconds(100)};
};

// Records which stores are open and whom they admit.
class NotedStores final : public RankStoreHost {
 public:
  Result<std::unique_ptr<RankStore>> open(const Endpoint& here) override { return make(here, "store"); }
  Result<std::unique_ptr<RankStore>> open_proxy(const Endpoint& here, const Endpoint& there) override {
    return make(here, "proxy to " + there.address);
  }

  std::vector<std::string> open_now;
  std::vector<std::string> admitted;
  uint16_t taken = 0;
  std::optional<Duration> met;
  std::optional<std::string> trouble;

 private:
  class Store final : public RankStore {
   public:
    Store(NotedStores& host, std::string name) : host_(host), name_(std::move(name)) {
      host_.open_now.push_back(name_);
    }
    ~Store() override { std::erase(host_.open_now, name_); }
    void admit(const std::vector<std::string>& addresses) override { host_.admitted = addresses; }
    void expect(uint32_t) override {}
    std::optional<Duration> met_since() const override { return host_.met; }
    std::optional<std::string> next_trouble() override { return std::exchange(host_.trouble, std::nullopt); }

   private:
    NotedStores& host_;
    const std::string name_;
  };
  Result<std::unique_ptr<RankStore>> make(const Endpoint& here, const std::string& kind) {
    if (here.port == taken) return Status(Code::unavailable, "port " + std::to_string(here.port) + " is taken");
    return std::unique_ptr<RankStore>(std::make_unique<Store>(*this, kind + " at " + std::to_string(here.port)));
  }
};

using Strings = std::vector<std::string>;

class TorchStoreServiceTest : public testing::Test {
 protected:
  void start(const std::optional<StoreTask>& task, uint16_t port) {
    DesiredState desired;
    desired.run = true;
    desired.store = task;
    service_.start(
        {bind_, desired, {port, {}}, {}, {}},
        {[] {}, [this] { heard_.push_back("ready"); }, [this](const std::string& why) { heard_.push_back(why); },
         [this](const std::string& what) { heard_.push_back(what); }, [] {}});
  }
  static StoreTask task(uint16_t port) { return {{"10.0.0.1", port}, std::nullopt, {"10.0.0.2"}, 4}; }

  StillLoop loop_;
  NullLog log_;
  NotedStores stores_;
  TorchStoreService service_{{loop_, stores_, log_}, "node-a"};
  Bind bind_ = [] {
    Bind bind;
    bind.store_address = "10.0.0.1";
    return bind;
  }();
  Strings heard_;
};

TEST_F(TorchStoreServiceTest, Reserve_ANodeWithAStore_ItListensBeforeTheAttempt) {
  EXPECT_TRUE(service_.reserve(bind_, {20001, {}}).ok());
  EXPECT_EQ(stores_.open_now, Strings{"store at 20001"});
  start(task(20001), 20001);
  EXPECT_EQ(heard_, Strings{"ready"});
  EXPECT_EQ(stores_.open_now, Strings{"store at 20001"});
  EXPECT_EQ(stores_.admitted, Strings{"10.0.0.2"});
}

TEST_F(TorchStoreServiceTest, Reserve_ATakenPort_IsRefused) {
  stores_.taken = 20001;
  EXPECT_EQ(service_.reserve(bind_, {20001, {}}).code(), Code::unavailable);
}

TEST_F(TorchStoreServiceTest, Reserve_ANodeWithoutStore_OpensNothing) {
  EXPECT_TRUE(service_.reserve(Bind(), {20001, {}}).ok());
  EXPECT_EQ(stores_.open_now, Strings());
  start(std::nullopt, 20001);
  EXPECT_EQ(heard_, Strings{"ready"});
}

TEST_F(TorchStoreServiceTest, Start_AnotherNodesStore_AProxyListens) {
  start(StoreTask{{"127.0.0.1", 20001}, Endpoint{"10.0.0.9", 20007}, {"127.0.0.1"}, 0}, 20001);
  EXPECT_EQ(stores_.open_now, Strings{"proxy to 10.0.0.9 at 20001"});
}

TEST_F(TorchStoreServiceTest, Start_ThePortIsTaken_FailsWithASentence) {
  stores_.taken = 20001;
  start(task(20001), 20001);
  EXPECT_EQ(heard_, Strings{"the torch store: port 20001 is taken"});
}

TEST_F(TorchStoreServiceTest, Stop_AnAttempt_EndsItsStoreAndKeepsTheNext) {
  static_cast<void>(service_.reserve(bind_, {20001, {}}));
  start(task(20001), 20001);
  static_cast<void>(service_.reserve(bind_, {20002, {}}));
  EXPECT_FALSE(service_.stopped());
  service_.stop();
  EXPECT_TRUE(service_.stopped());
  EXPECT_EQ(stores_.open_now, Strings{"store at 20002"});
}

TEST_F(TorchStoreServiceTest, Tell_RanksHaveMet_TheTimeStaysTheSame) {
  start(task(20001), 20001);
  Report report;
  service_.tell(report);
  EXPECT_EQ(report.met, TimePoint());
  stores_.met = std::chrono::seconds(3);
  for (int second = 0; second < 3; ++second, loop_.time += std::chrono::seconds(1)) service_.tell(report);
  EXPECT_EQ(report.met, TimePoint(std::chrono::seconds(97)));
}

TEST_F(TorchStoreServiceTest, Tell_AClientWasRefused_IsToldWithTheNodesName) {
  start(task(20001), 20001);
  stores_.trouble = "refused a connection";
  Report report;
  service_.tell(report);
  EXPECT_EQ(heard_, (Strings{"ready", "the torch store on node-a refused a connection"}));
}

}  // namespace
}  // namespace muster
