// SPDX-License-Identifier: Apache-2.0
#include "core/wire/grpc_fixture.h"

namespace muster {
namespace {

class ExecLink : public GrpcFixture {
 protected:
  ExecLink() : client_(loop_, path_) {}

  struct Viewer {
    std::unique_ptr<ExecChannel> channel;
    std::vector<ExecFrame> frames;
    std::vector<Status> ends;
  };
  void view(Viewer& viewer) {
    ExecStart start;
    start.job = "nils";
    start.argv = {"cat"};
    viewer.channel = client_.exec(start);
    viewer.channel->listen([&](const ExecFrame& frame) { viewer.frames.push_back(frame); },
                           [&](const Status& status) { viewer.ends.push_back(status); });
  }
  // The controller's end of the newest stream, and what it receives.
  struct Served {
    std::vector<ExecFrame> frames;
    std::vector<Status> ends;
  };
  void serve_next(Served& served, TestLoop* viewers = nullptr) {
    const size_t before = service_.viewers.size();
    service_.on_exec = [&] {
      service_.viewers.back()->listen([&](const ExecFrame& frame) { served.frames.push_back(frame); },
                                      [&](const Status& status) { served.ends.push_back(status); });
    };
    ASSERT_TRUE(loop_.run_until([&] {
      if (viewers != nullptr) viewers->turn();
      return service_.viewers.size() > before;
    }));
  }

  GrpcControlClient client_;
};

ExecFrame bytes(ExecStream stream, std::string text) { return {0, ExecBytes{stream, std::move(text), false}}; }

TEST_F(ExecLink, FramesGoBothWaysInOrder) {
  serve();
  Viewer viewer;
  Served served;
  view(viewer);
  serve_next(served);
  EXPECT_EQ(service_.execs.at(0).argv, (std::vector<std::string>{"cat"}));
  for (int i = 0; i < 100; ++i) viewer.channel->send(bytes(ExecStream::in, std::to_string(i)));
  for (int i = 0; i < 100; ++i) service_.viewers[0]->send(bytes(ExecStream::out, std::to_string(i)));
  ASSERT_TRUE(loop_.run_until([&] { return viewer.frames.size() == 100 && served.frames.size() == 100; }));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(viewer.frames[static_cast<size_t>(i)], bytes(ExecStream::out, std::to_string(i)));
    EXPECT_EQ(served.frames[static_cast<size_t>(i)], bytes(ExecStream::in, std::to_string(i)));
  }
}

TEST_F(ExecLink, WhatWasSentBeforeTheControllersEndIsDestroyedComes) {
  serve();
  Viewer viewer;
  Served served;
  view(viewer);
  serve_next(served);
  service_.viewers[0]->send(bytes(ExecStream::out, std::string(1 << 20, 'x')));
  service_.viewers[0]->send({0, ExecEnd{}});
  service_.viewers.clear();
  ASSERT_TRUE(loop_.run_until([&] { return !viewer.ends.empty(); }));
  ASSERT_EQ(viewer.frames.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<ExecEnd>(viewer.frames[1].part));
}

TEST_F(ExecLink, AViewerThatLeavesIsNoticed) {
  serve();
  Viewer viewer;
  Served served;
  view(viewer);
  serve_next(served);
  viewer.channel.reset();
  ASSERT_TRUE(loop_.run_until([&] { return !served.ends.empty(); }));
  EXPECT_EQ(served.ends[0].code(), Code::cancelled);
}

TEST_F(ExecLink, AControllerThatGoesIsNoticedOnBothSides) {
  serve();
  Viewer viewer;
  Served served;
  view(viewer);
  serve_next(served);
  server_.reset();
  ASSERT_TRUE(loop_.run_until([&] { return !viewer.ends.empty() && !served.ends.empty(); }));
  EXPECT_EQ(viewer.ends[0].code(), Code::unavailable);
}

TEST_F(ExecLink, NobodyThereIsToldAtOnce) {
  Viewer viewer;
  view(viewer);
  ASSERT_TRUE(loop_.run_until([&] { return !viewer.ends.empty(); }));
  EXPECT_EQ(viewer.ends[0].code(), Code::unavailable);
}

TEST_F(ExecLink, AViewerThatTakesNothingIsLet) {
  serve();
  TestLoop frozen;  // of the viewer; it does not turn once the viewer is connected
  GrpcControlClient client(frozen, path_);
  const auto viewer = client.exec(ExecStart());
  Served served;
  serve_next(served, &frozen);
  const ExecFrame flood = bytes(ExecStream::out, std::string(1 << 20, 'x'));
  for (int i = 0; i < 32; ++i) service_.viewers[0]->send(flood);
  ASSERT_TRUE(loop_.run_until([&] { return !served.ends.empty(); }));
  EXPECT_EQ(served.ends[0].code(), Code::resource_exhausted);
}

TEST_F(ExecLink, DestructionAtAnyMomentLeavesNothing) {
  Random random(3);
  for (int round = 0; round < 50; ++round) {
    service_.on_exec = nullptr;
    serve();
    std::vector<Viewer> viewers(3);
    for (Viewer& viewer : viewers) view(viewer);
    const auto turns = [&] {
      for (uint64_t left = random.below(8); left > 0; --left) loop_.turn();
    };
    turns();
    for (const auto& channel : service_.viewers) channel->send(bytes(ExecStream::out, std::string(100 << 10, 'x')));
    turns();
    if (random.below(2) == 0) viewers[0].channel.reset();
    if (random.below(2) == 0) service_.viewers.clear();
    turns();
    if (random.below(2) == 0) server_.reset();
    for (Viewer& viewer : viewers) viewer.channel.reset();
    server_.reset();
    service_.viewers.clear();
  }
}

}  // namespace
}  // namespace muster
