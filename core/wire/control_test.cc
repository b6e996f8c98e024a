// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include "core/base/unix_socket.h"
#include "core/wire/grpc_fixture.h"

namespace muster {
namespace {

class Control : public GrpcFixture {
 protected:
  Control() : client_(loop_, path_) {}

  struct Viewer {
    std::unique_ptr<JobReadClient::Following> following;
    std::vector<FollowItem> items;
    std::vector<Status> ends;
  };
  void view(Viewer& viewer, GrpcControlClient& client) {
    FollowRequest request;
    request.job = "nils";
    viewer.following = client.follow(
        request, [&](const FollowItem& item) { viewer.items.push_back(item); },
        [&](const Status& status) { viewer.ends.push_back(status); });
  }
  void await_sink() {
    ASSERT_TRUE(loop_.run_until([&] { return !service_.sinks.empty(); }));
  }

  GrpcControlClient client_;
};

FollowItem chunk(uint64_t offset, size_t size) {
  return {OutputChunk{{1, 0, OutputStream::out, offset}, std::string(size, 'x')}};
}

uint64_t offset_of(const FollowItem& item) { return std::get<OutputChunk>(item.item).position.offset; }

TEST_F(Control, EveryCall_ReachesTheServiceAndComesBack) {
  serve();
  SubmitRequest submit;
  submit.submit_key = "k";
  submit.secrets = {{"TOKEN", "\xff"}};
  EXPECT_EQ(*loop_.during([&] { return client_.submit(submit); }), service_.job);
  EXPECT_EQ(service_.submitted.at(0).secrets, submit.secrets);
  EXPECT_EQ(loop_.during([&] { return client_.list({.all = true}); })->size(), 2u);
  EXPECT_EQ(*loop_.during([&] { return client_.describe("nils"); }), service_.job);
  EXPECT_FALSE(service_.examined);
  EXPECT_TRUE(loop_.during([&] { return client_.describe({"nils", true}); }).ok());
  EXPECT_TRUE(service_.examined);
  EXPECT_TRUE(loop_.during([&] { return client_.stop("nils", SIGKILL, Duration(-1)); }).ok());
  EXPECT_EQ(service_.asked, "nils kill -1");
  EXPECT_TRUE(loop_.during([&] { return client_.note_code("nils", "3f2a9c1+dirty"); }).ok());
  EXPECT_EQ(service_.asked, "nils 3f2a9c1+dirty");
  EXPECT_TRUE(loop_.during([&] { return client_.type({"nils", 0, "ls", 24, 80}); }).ok());
  EXPECT_EQ(service_.asked, "nils ls 24");
  const ArrangeRequest arrange{"nils", ArrangeRequest::Act::before, "nina", -5, "nora"};
  EXPECT_EQ(*loop_.during([&] { return client_.arrange(arrange); }), service_.job);
  EXPECT_EQ(service_.arranged.at(0), arrange);
  EXPECT_EQ(loop_.during([&] { return client_.info(); })->pid, 42);
  EXPECT_EQ(*loop_.during([&] { return client_.prune({{}, 7, true}); }), (Pruned{{"old"}, 7, 1}));
  EXPECT_TRUE(loop_.during([&] { return client_.shutdown(true); }).ok());
}

// Like the stdio of a program that is connected to the controller.
UniqueFd connected_to(const std::string& path) {
  UniqueFd connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect_unix(connection.get(), path), 0);
  fcntl(connection.get(), F_SETFL, O_NONBLOCK);
  return connection;
}

TEST_F(Control, AConnectionThatIsGiven_CarriesCallsAndFollows_UntilItIsLost) {
  serve();
  GrpcControlClient client(loop_, connected_to(path_), "the coordinator");
  EXPECT_EQ(*loop_.during([&] { return client.describe("nils"); }), service_.job);
  Viewer viewer;
  view(viewer, client);
  await_sink();
  service_.sinks.at(0)->write(chunk(0, 3));
  ASSERT_TRUE(loop_.run_until([&] { return viewer.items.size() == 1; }));
  server_.reset();
  ASSERT_TRUE(loop_.run_until([&] { return !viewer.ends.empty(); }));
  EXPECT_EQ(viewer.ends.at(0).code(), Code::unavailable);
  service_.sinks.clear();
  serve();
  const auto again = loop_.during([&] { return client.describe("nils"); });
  EXPECT_EQ(again.status().code(), Code::unavailable);
  EXPECT_NE(again.status().message().find("the coordinator"), std::string::npos) << again.status().message();
}

TEST_F(Control, Errors_KeepCodeAndSentence) {
  serve();
  EXPECT_EQ(loop_.during([&] { return client_.describe("nix"); }).status(), service_.failure);
  EXPECT_EQ(loop_.during([&] { return client_.remove("nils"); }), service_.failure);
  service_.failure = Status(Code::unavailable, "node-b does not answer");
  EXPECT_EQ(loop_.during([&] { return client_.shutdown(false); }), service_.failure);
}

TEST_F(Control, LongSentence_Comes) {
  serve();
  std::string sentence;
  while (sentence.size() < 60000) sentence += "line 3: é is no key\n";
  service_.failure = Status(Code::invalid_argument, sentence);
  EXPECT_EQ(loop_.during([&] { return client_.describe("nix"); }).status(), service_.failure);
}

TEST_F(Control, NobodyThere_FailsAtOnceAndWorksAsSoonAsSomebodyIs) {
  EXPECT_TRUE(is_at_once([&] {
    server_.reset();
    GrpcControlClient client(loop_, path_);
    const auto info = client.info();
    EXPECT_EQ(info.status().code(), Code::unavailable);
    EXPECT_NE(info.status().message().find(path_), std::string::npos) << info.status().message();
    serve();
    EXPECT_TRUE(loop_.during([&] { return client.info(); }).ok());
  }));
}

TEST_F(Control, ServerEndsWhileASubmitWaits_CallerHearsOfItAndALateAnswerIsDropped) {
  serve();
  service_.hold_submits = true;
  auto waiting = std::async(std::launch::async, [&] { return client_.submit({}); });
  ASSERT_TRUE(loop_.run_until([&] { return !service_.held.empty(); }));
  server_.reset();
  EXPECT_EQ(waiting.get().status().code(), Code::unavailable);
  service_.held[0](service_.job);
}

TEST_F(Control, Follow_ItemsThenTheEnd) {
  serve();
  Viewer viewer;
  view(viewer, client_);
  await_sink();
  EXPECT_EQ(service_.follows[0].job, "nils");
  for (uint64_t i = 0; i < 100; ++i) EXPECT_TRUE(service_.sinks[0]->write(chunk(i, 10)));
  service_.sinks[0]->finish(service_.failure);
  ASSERT_TRUE(loop_.run_until([&] { return !viewer.ends.empty(); }));
  EXPECT_EQ(viewer.ends[0], service_.failure);
  ASSERT_EQ(viewer.items.size(), 100u);
  for (uint64_t i = 0; i < 100; ++i) EXPECT_EQ(offset_of(viewer.items[i]), i);
}

TEST_F(Control, Follow_SinkDestroyed_Ends) {
  serve();
  Viewer viewer;
  view(viewer, client_);
  await_sink();
  service_.sinks[0]->write(chunk(0, 10));
  service_.sinks.clear();
  ASSERT_TRUE(loop_.run_until([&] { return !viewer.ends.empty(); }));
  EXPECT_EQ(viewer.ends[0].code(), Code::cancelled);
  EXPECT_EQ(viewer.items.size(), 1u);
}

TEST_F(Control, Follow_NobodyThereOrServerGone_EndsUnavailable) {
  Viewer early, viewer;
  view(early, client_);
  ASSERT_TRUE(loop_.run_until([&] { return !early.ends.empty(); }));
  EXPECT_EQ(early.ends[0].code(), Code::unavailable);
  serve();
  GrpcControlClient client(loop_, path_);
  view(viewer, client);
  await_sink();
  int gone = 0;
  service_.sinks[0]->listen([] {}, [&] { ++gone; });
  server_.reset();
  ASSERT_TRUE(loop_.run_until([&] { return !viewer.ends.empty() && gone == 1; }));
  EXPECT_EQ(viewer.ends[0].code(), Code::unavailable);
  EXPECT_FALSE(service_.sinks[0]->write(chunk(0, 1)));
}

TEST_F(Control, Follow_ViewerLeavesInItsHandler_SinkHearsOnceAndTheRestIsDropped) {
  serve();
  Viewer viewer;
  const auto leave = [&](const FollowItem& item) {
    viewer.items.push_back(item);
    viewer.following.reset();
  };
  viewer.following = client_.follow({}, leave, [&](const Status&) { ADD_FAILURE(); });
  await_sink();
  int gone = 0;
  service_.sinks[0]->listen([] {}, [&] { ++gone; });
  for (uint64_t i = 0; i < 10; ++i) service_.sinks[0]->write(chunk(i, 10));
  ASSERT_TRUE(loop_.run_until([&] { return gone > 0; }));
  EXPECT_EQ(viewer.items.size(), 1u);
  EXPECT_FALSE(service_.sinks[0]->write(chunk(0, 1)));
  service_.sinks.clear();
  for (int i = 0; i < 20; ++i) loop_.turn();
  EXPECT_EQ(gone, 1);
}

TEST_F(Control, Follow_HeldInAHandler_NothingComesUntilItIsLetGo) {
  serve();
  Viewer viewer;
  const auto take = [&](const FollowItem& item) {
    viewer.items.push_back(item);
    viewer.following->hold(true);
  };
  viewer.following = client_.follow({}, take, [&](const Status& status) { viewer.ends.push_back(status); });
  await_sink();
  for (uint64_t i = 0; i < 2; ++i) service_.sinks[0]->write(chunk(i, 10));
  service_.sinks[0]->finish(Status());
  for (uint64_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(loop_.run_until([&] { return viewer.items.size() > i; }));
    for (int turn = 0; turn < 20; ++turn) loop_.turn();
    ASSERT_EQ(viewer.items.size(), i + 1);
    ASSERT_TRUE(viewer.ends.empty());
    viewer.following->hold(false);
  }
  ASSERT_TRUE(loop_.run_until([&] { return !viewer.ends.empty(); }));
}

// A producer that respects the window: it writes until told to wait.
struct Producer {
  FollowSink& sink;
  uint64_t written = 0;
  bool full = false;

  void start() {
    sink.listen([this] { run(); }, [] { ADD_FAILURE(); });
    run();
  }
  void run() {
    full = false;
    while (written < 1000 && !full) full = !sink.write(chunk(written++, 64 << 10));
    if (written == 1000) sink.finish(Status());
  }
};

TEST_F(Control, Follow_SlowReader_HoldsTheProducerBackAndLosesNothing) {
  serve();
  TestLoop frozen;  // of the viewer, which reads nothing while the loop does not turn
  GrpcControlClient client(frozen, path_);
  Viewer viewer;
  view(viewer, client);
  await_sink();
  Producer producer{*service_.sinks[0]};
  producer.start();
  // Some turns without a reader fill the window, gRPC's buffers and the kernel's buffers.
  for (int i = 0; i < 200; ++i) loop_.turn();
  EXPECT_TRUE(producer.full);
  EXPECT_LT(producer.written * (64 << 10), 4u << 20);
  while (viewer.ends.empty()) frozen.turn(), loop_.turn();
  EXPECT_EQ(viewer.ends[0], Status());
  ASSERT_EQ(viewer.items.size(), 1000u);
  for (uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(offset_of(viewer.items[i]), i);
}

TEST_F(Control, Destruction_AtAnyMoment_LeavesNothing) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    serve();
    auto client = std::make_unique<GrpcControlClient>(loop_, path_);
    std::vector<Viewer> viewers(3);
    for (Viewer& viewer : viewers) view(viewer, *client);
    const auto turns = [&] {
      for (uint64_t left = random.below(8); left > 0; --left) loop_.turn();
    };
    turns();
    for (const auto& sink : service_.sinks) sink->write(chunk(0, 300 << 10));
    turns();
    if (random.below(2) == 0) client.reset();
    if (random.below(2) == 0) viewers[0].following.reset();
    if (random.below(2) == 0) service_.sinks.clear();
    turns();
    if (random.below(2) == 0) server_.reset();
    for (Viewer& viewer : viewers) viewer.following.reset();
    server_.reset();
    service_.sinks.clear();
  }
}

}  // namespace
}  // namespace muster
