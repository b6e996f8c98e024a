// SPDX-License-Identifier: Apache-2.0
#include "core/worker/client/wire.h"

#include <gtest/gtest.h>

#include "core/worker/client/environment.h"
#include "core/worker/client/frames.h"

namespace muster::worker {
namespace {

TEST(Wire, WritesWhatProtobufWrites) {
  // Examples of protobuf's encoding page: field 1 is 150, field 2 is "testing".
  EXPECT_EQ(WireWriter().number(1, 150).text(), "\x08\x96\x01");
  EXPECT_EQ(WireWriter().bytes(2, "testing").text(), "\x12\x07testing");
  EXPECT_EQ(WireWriter().zigzag(1, -2).text(), "\x08\x03");
  EXPECT_EQ(WireWriter().number(1, 0).bytes(2, "").text(), "");
  EXPECT_EQ(WireWriter().message(3, [](WireWriter& in) { in.number(1, 150); }).text(),
            std::string("\x1a\x83\x80\x80\x00\x08\x96\x01", 8));  // its length takes four bytes
  EXPECT_EQ(WireWriter().real(1, 1.0).text(), std::string("\x09\x00\x00\x00\x00\x00\x00\xf0\x3f", 9));
}

TEST(Wire, ReadsWhatItWrote) {
  const std::string text = WireWriter().number(1, UINT64_MAX).bytes(20, "x").number(3, 1).text();
  WireReader reader(text);
  EXPECT_EQ(reader.next()->value, UINT64_MAX);
  const WireField bytes = *reader.next();
  EXPECT_EQ(bytes.number, 20U);
  EXPECT_EQ(bytes.bytes, "x");
  EXPECT_EQ(reader.next()->value, 1U);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.ok());
}

TEST(Wire, RefusesWhatIsNoMessage) {
  const std::string endless(11, '\xff');
  for (const std::string& text : {std::string("\x80"), std::string("\x12\x7fshort"), std::string("\x0b"), endless}) {
    WireReader reader(text);
    while (reader.next()) continue;
    EXPECT_FALSE(reader.ok()) << text;
  }
}

TEST(Frames, CarryTheirLength) {
  const std::string frame = store_frame({1, 2}, {StoreCall::Kind::get, "key"});
  ASSERT_GT(frame.size(), 4U);
  EXPECT_EQ(static_cast<size_t>(frame[0]), frame.size() - 4);
}

TEST(Frames, AnAnswerIsRead) {
  const auto status = [](WireWriter& in) { in.number(1, 5).bytes(2, "key `k` is not set"); };
  const std::string text = WireWriter().message(1, [&](WireWriter& in) { in.message(1, status).bytes(2, "v"); }).text();
  const Result<Reply> reply = read_reply(text);
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->kind, Reply::Kind::store);
  EXPECT_EQ(reply->status, Status(Code::not_found, "key `k` is not set"));
  EXPECT_EQ(reply->value, "v");
}

TEST(Frames, WhatIsNoAnswerIsSaid) {
  for (const std::string text : {"", "junk!", "\x0a\x7f"}) EXPECT_EQ(read_reply(text).status().code(), Code::data_loss);
  // An answer of a kind that this library does not know.
  EXPECT_EQ(read_reply(WireWriter().message(9, [](WireWriter&) {}).text()).status().code(), Code::data_loss);
}

std::map<std::string, std::string> environment() {
  return {
      {"MUSTER_SOCKET", "/tmp/s"}, {"MUSTER_INDEX", "3"},      {"MUSTER_ATTEMPT", "2"},          {"MUSTER_RANK", "3"},
      {"MUSTER_WORLD_SIZE", "4"},  {"MUSTER_LOCAL_RANK", "1"}, {"MUSTER_LOCAL_WORLD_SIZE", "2"}, {"MUSTER_NODE", "1"},
      {"MUSTER_RESTARTS", "1"},    {"MUSTER_JOB_NAME", "llm"}, {"MUSTER_GROUP", "worker"}};
}

TEST(Environment, TellsThePlace) {
  const Result<Place> place = place_from(environment());
  ASSERT_TRUE(place.ok()) << place.status().message();
  EXPECT_EQ(place->rank, 3U);
  EXPECT_EQ(place->local_size, 2U);
  EXPECT_EQ(place->asker.attempt, 2U);
  EXPECT_EQ(place->job, "llm");
}

TEST(Environment, OutsideAJobSaysHowToStart) {
  const Result<Place> place = place_from(std::map<std::string, std::string>());
  EXPECT_EQ(place.status().code(), Code::failed_precondition);
  EXPECT_NE(place.status().message().find("muster run"), std::string::npos);
}

TEST(Environment, AChangedVariableIsNamed) {
  for (const std::string value : {"", "-1", "3x", "99999999999"}) {
    auto changed = environment();
    changed["MUSTER_RANK"] = value;
    const Result<Place> place = place_from(changed);
    EXPECT_EQ(place.status().code(), Code::invalid_argument);
    EXPECT_NE(place.status().message().find("MUSTER_RANK is `" + value + "`"), std::string::npos);
  }
}

}  // namespace
}  // namespace muster::worker
