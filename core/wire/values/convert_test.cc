// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/convert.h"

#include <gtest/gtest.h>

#include "core/wire/values/sample_values.h"
#include "core/wire/values/wire_text.h"

namespace muster {
namespace {

constexpr uint64_t kSeeds = 500;

// Converts through bytes, as on the wire.
template <typename Domain>
void expect_round_trips(bool raw) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Domain value = Sampler(seed, raw).make<Domain>();
    const auto sent = to_wire(value);
    auto received = sent;
    received.Clear();
    ASSERT_TRUE(received.ParseFromString(sent.SerializeAsString())) << "seed " << seed;
    Status trouble;
    const Domain back = from_wire(received, trouble);
    ASSERT_EQ(trouble, Status()) << trouble.message() << ", seed " << seed;
    ASSERT_TRUE(comparable(back) == comparable(value)) << "seed " << seed;
  }
}

TEST(Convert, AgentMessages_AnyBytes_RoundTrip) { expect_round_trips<AgentMessage>(true); }
TEST(Convert, CoordinatorMessages_AnyBytes_RoundTrip) { expect_round_trips<CoordinatorMessage>(true); }
TEST(Convert, ExecFrame_AnyBytes_RoundTrips) { expect_round_trips<ExecFrame>(true); }
TEST(Convert, RendezvousCall_AnyBytes_RoundTrips) { expect_round_trips<RendezvousCall>(true); }
TEST(Convert, RendezvousAnswer_AnyBytes_RoundTrips) { expect_round_trips<RendezvousAnswer>(true); }
TEST(Convert, WorkerCall_AnyBytes_RoundTrips) { expect_round_trips<WorkerCall>(true); }
TEST(Convert, WorkerAnswer_AnyBytes_RoundTrips) { expect_round_trips<WorkerAnswer>(true); }
TEST(Convert, SubmitRequest_RoundTrips) { expect_round_trips<SubmitRequest>(false); }
TEST(Convert, JobView_RoundTrips) { expect_round_trips<JobView>(false); }
TEST(Convert, FollowRequest_RoundTrips) { expect_round_trips<FollowRequest>(false); }
TEST(Convert, FollowItem_RoundTrips) { expect_round_trips<FollowItem>(false); }
TEST(Convert, ControllerInfo_RoundTrips) { expect_round_trips<ControllerInfo>(false); }
TEST(Convert, Prune_RoundTrips) {
  expect_round_trips<PruneRequest>(false);
  expect_round_trips<Pruned>(false);
}
TEST(Convert, TtyBytes_AnyBytes_RoundTrip) { expect_round_trips<TtyBytes>(true); }

TEST(Convert, OutputBytes_AnyBytes_ComeBackUnchanged) {
  FollowItem item{OutputChunk{{}, std::string("\xff\x00\xc3", 3)}};
  Status trouble;
  EXPECT_EQ(from_wire(to_wire(item), trouble).item, item.item);
}

TEST(Convert, Sentence_NotUtf8_IsEscapedAndStaysReadable) {
  JobView view;
  view.sentence = "rank 3 said \xff\xc3";
  const std::string bytes = to_wire(view).SerializeAsString();
  wire::JobView received;
  ASSERT_TRUE(received.ParseFromString(bytes));
  EXPECT_EQ(received.sentence(), "rank 3 said \\xff\\xc3");
}

TEST(Convert, UnknownKind_IsUnimplemented) {
  Status trouble;
  from_wire(wire::FromAgent(), trouble);
  EXPECT_EQ(trouble.code(), Code::unimplemented);
}

TEST(Convert, StrangeValues_AreInvalid) {
  wire::FromAgent port;
  port.mutable_report()->set_meeting_port(65536);
  wire::FromAgent id;
  id.mutable_hello()->set_job("NOT A JOB");
  wire::FromAgent kind;
  kind.mutable_rendezvous()->mutable_call()->set_kind(static_cast<wire::RendezvousKind>(77));
  for (const wire::FromAgent& message : {port, id, kind}) {
    Status trouble;
    from_wire(message, trouble);
    EXPECT_EQ(trouble.code(), Code::invalid_argument) << trouble.message();
  }
}

TEST(Convert, EmptyHello_ReadsAsDefaults) {
  wire::FromAgent message;
  message.mutable_hello();
  Status trouble;
  from_wire(message, trouble);
  EXPECT_EQ(trouble, Status()) << trouble.message();
}

TEST(WireText, KnowsUtf8) {
  for (const char* good : {"", "a", "é", "漢", "😀", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5", "\xc3", "\xe6\xbc"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
  EXPECT_EQ(wire_text("\xe6\xbc"
                      "a漢"),
            "\\xe6\\xbca漢");
}

}  // namespace
}  // namespace muster
