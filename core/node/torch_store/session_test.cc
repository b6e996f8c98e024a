// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/session.h"

#include <gtest/gtest.h>

#include "core/node/torch_store/wire_test.h"

namespace muster::tcpstore {
namespace {

class SessionTest : public testing::Test, public Carrier {
 protected:
  // A client with the current dialect or that of torch 1.13.
  class Client {
   public:
    Client(StoreState& state, Carrier& carrier, Dialect dialect) : state_(state), session_(state, carrier, 0) {
      session_.feed(greeting_of(dialect));
    }
    bool says(const std::string& bytes) {
      const bool good = session_.feed(bytes);
      deliver(state_.store);
      return good;
    }
    std::string hears() { return std::exchange(session_.out, {}); }
    std::string asks(const std::string& bytes) { return says(bytes) ? hears() : "ended"; }
    Session& session() { return session_; }

   private:
    StoreState& state_;
    Session session_;
  };

  Client client(Dialect dialect = Dialect::current) { return {state_, *this, dialect}; }
  void carry(Session&) override {}

  StoreState state_{Limits{}};
};

TEST_F(SessionTest, SetIsSilentAndGetGives) {
  Client a = client();
  EXPECT_EQ(a.asks(set("/k", "v")), "");
  EXPECT_EQ(a.asks(get("/k")), text("v"));
  EXPECT_EQ(a.asks(get("/none")), text(""));
  EXPECT_EQ(a.asks(multi_get({"/none", "/k"})), text("") + text("v"));
  EXPECT_EQ(a.asks(num_keys()), number(1));
  EXPECT_EQ(a.asks(list_keys()), number(1) + text("/k"));
  EXPECT_EQ(a.asks(delete_key("/k")), number(1));
  EXPECT_EQ(a.asks(delete_key("/k")), number(0));
}

TEST_F(SessionTest, APingIsEchoed) { EXPECT_EQ(client().asks(code(13) + "abcd"), "abcd"); }

TEST_F(SessionTest, CompareSetTakesAnEmptyExpectationForAMissingKey) {
  Client a = client();
  EXPECT_EQ(a.asks(compare_set("k", "x", "n")), text("x"));
  EXPECT_EQ(a.asks(check({"k"})), kCancelled);
  EXPECT_EQ(a.asks(compare_set("k", "", "n")), text("n"));
  EXPECT_EQ(a.asks(compare_set("k", "x", "m")), text("n"));
  EXPECT_EQ(a.asks(compare_set("k", "n", "")), text(""));
  EXPECT_EQ(a.asks(compare_set("k", "", "w")), text("w"));
}

TEST_F(SessionTest, AddReadsNumbersAsTorchDoes) {
  const std::pair<std::string, int64_t> good[] = {
      {"5", 6}, {" 7", 8}, {"12abc", 13}, {"-3", -2}, {"+4", 5}, {"0x10", 1}, {"9223372036854775807", INT64_MIN}};
  for (const auto& [before, after] : good) {
    Client a = client();
    EXPECT_EQ(a.asks(set("n", before) + add("n", 1)), number(static_cast<uint64_t>(after))) << before;
    EXPECT_EQ(a.asks(get("n")), text(std::to_string(after)));
  }
  for (const std::string before : {"", "x", "+-5", "99999999999999999999"})
    EXPECT_EQ(client().asks(set("n", before) + add("n", 1)), "ended") << before;
}

TEST_F(SessionTest, AppendMakesAndLengthens) {
  Client a = client();
  EXPECT_EQ(a.asks(append("k", "a") + append("k", "b") + get("k")), text("ab"));
}

TEST_F(SessionTest, AWaitEndsWithTheLastKey) {
  Client a = client(), b = client();
  EXPECT_EQ(a.asks(wait({"x", "y"})), "");
  EXPECT_EQ(b.asks(set("x", "1")), "");
  EXPECT_EQ(a.hears(), "");
  EXPECT_EQ(b.asks(add("y", 1)), number(1));
  EXPECT_EQ(a.hears(), kGo);
  EXPECT_EQ(a.asks(wait({"x", "y"})), kGo);
  EXPECT_EQ(a.asks(wait({})), kGo);
}

TEST_F(SessionTest, WhateverMakesAKeyEndsAWait) {
  for (const std::string& maker :
       {set("k", ""), append("k", "v"), add("k", 1), compare_set("k", "", "v"), queue_push("k", "v"),
        code(11) + number(1) + text("k") + text("v"), barrier("k", 1)}) {
    StoreState state{Limits{}};
    Client a(state, *this, Dialect::current), b(state, *this, Dialect::current);
    EXPECT_EQ(a.asks(wait({"k", "k"})), "");
    b.says(maker);
    // One item of a queue satisfies one of the two waits.
    if (maker[0] == 14) b.says(maker);
    EXPECT_EQ(a.hears(), kGo) << int(maker[0]);
  }
}

TEST_F(SessionTest, AKeyThatWasNotMadeEndsNoWait) {
  Client a = client(), b = client();
  EXPECT_EQ(a.asks(wait({"k"})), "");
  EXPECT_EQ(b.asks(compare_set("k", "expected", "v")), text("expected"));
  EXPECT_EQ(a.hears(), "");
}

TEST_F(SessionTest, ACancelledWaitIsForgotten) {
  Client a = client(), b = client();
  EXPECT_EQ(a.asks(cancel_wait()), kCancelled);
  EXPECT_EQ(a.asks(wait({"k"}) + cancel_wait()), kCancelled);
  EXPECT_EQ(b.asks(set("k", "v")), "");
  EXPECT_EQ(a.hears(), "");
  EXPECT_EQ(a.asks(wait({"l"}) + wait({"m"})), "");
  EXPECT_EQ(b.asks(set("l", "v")), "");
  EXPECT_EQ(a.hears(), "");
  EXPECT_EQ(b.asks(set("m", "v")), "");
  EXPECT_EQ(a.hears(), kGo);
}

TEST_F(SessionTest, WhoIsGoneIsNotWoken) {
  Client b = client();
  {
    Client a = client();
    EXPECT_EQ(a.asks(wait({"k", "l"})), "");
  }
  EXPECT_EQ(b.asks(set("k", "v") + set("l", "v") + num_keys()), number(2));
}

TEST_F(SessionTest, AQueuesItemWakesOneInTurn) {
  Client a = client(), b = client(), c = client();
  EXPECT_EQ(a.asks(wait({"q"})), "");
  EXPECT_EQ(b.asks(wait({"q"})), "");
  EXPECT_EQ(c.asks(queue_push("q", "1")), "");
  EXPECT_EQ(a.hears(), kGo);
  EXPECT_EQ(b.hears(), "");
  EXPECT_EQ(c.asks(queue_push("q", "2")), "");
  EXPECT_EQ(b.hears(), kGo);
  EXPECT_EQ(a.asks(queue_pop("q")), number(2) + text("1"));
  EXPECT_EQ(a.asks(queue_length("q")), number(1));
  EXPECT_EQ(a.asks(queue_pop("q")), number(1) + text("2"));
  EXPECT_EQ(a.asks(queue_pop("q")), number(0));
  EXPECT_EQ(a.asks(check({"q"})), kCancelled);
  EXPECT_EQ(a.asks(num_keys()), number(0));
}

TEST_F(SessionTest, ABarrierEndsWithTheLastOfItsWorld) {
  Client a = client(), b = client(), c = client();
  EXPECT_EQ(a.asks(barrier("b", 3)), "");
  EXPECT_EQ(b.asks(barrier("b", 3)), "");
  EXPECT_EQ(c.asks(barrier("b", 3)), kGo);
  EXPECT_EQ(a.hears() + b.hears(), kGo + kGo);
  EXPECT_EQ(a.asks(barrier("b", 3)), kGo) << "a barrier that was full is passed";
  EXPECT_EQ(a.asks(get("b")), text("4"));
}

TEST_F(SessionTest, ABarriersFirstComerEndsNoWait) {
  Client a = client(), b = client(), c = client();
  EXPECT_EQ(a.asks(wait({"b"})), "");
  EXPECT_EQ(b.asks(barrier("b", 2)), "");
  EXPECT_EQ(a.hears(), "");
  EXPECT_EQ(c.asks(barrier("b", 2)), kGo);
  EXPECT_EQ(a.hears() + b.hears(), kGo + kGo);
}

TEST_F(SessionTest, AWatcherOfTorch113IsToldOfChanges) {
  Client a = client(Dialect::old), b = client();
  EXPECT_EQ(a.asks(code(7) + text("w")), "\x03");
  b.says(set("w", "1"));
  EXPECT_EQ(a.hears(), code(1) + text("w") + text("") + text("1"));
  b.says(compare_set("w", "1", "2"));
  EXPECT_EQ(a.hears(), code(0) + text("w") + text("1") + text("2"));
  b.says(compare_set("w", "other", "3"));
  EXPECT_EQ(a.hears(), "");
  b.says(add("w", 3));
  EXPECT_EQ(a.hears(), code(0) + text("w") + text("2") + text("5"));
  b.says(delete_key("w"));
  EXPECT_EQ(a.hears(), code(2) + text("w") + text("5") + text(""));
}

TEST_F(SessionTest, AWatcherThatIsGoneIsNotTold) {
  Client b = client();
  {
    Client a = client(Dialect::old), c = client(Dialect::old);
    EXPECT_EQ(a.asks(code(7) + text("w") + code(7) + text("w")), "\x03\x03");
    EXPECT_EQ(c.asks(code(7) + text("w")), "\x03");
  }
  EXPECT_EQ(b.asks(set("w", "1") + get("w")), text("1"));
  b.says(delete_key("w"));
  EXPECT_EQ(state_.store.bytes(), 0u);
}

TEST_F(SessionTest, AnOldClientThatAsksOnHasGivenUpItsWait) {
  Client a = client(Dialect::old), b = client();
  EXPECT_EQ(a.asks(code(5) + number(1) + text("k")), "");
  EXPECT_EQ(a.asks(code(2) + text("other")), text(""));
  b.says(set("k", "v"));
  EXPECT_EQ(a.hears(), "");
}

TEST_F(SessionTest, TheStoreIsEmptyAgainWhenAllIsTaken) {
  {
    Client a = client();
    EXPECT_EQ(a.asks(set("k", "v") + append("k", "w") + add("n", 1) + queue_push("q", "i") + wait({"x", "y"}) +
                     barrier("b", 2)),
              number(1));
    EXPECT_EQ(a.asks(delete_key("k") + delete_key("n") + queue_pop("q") + delete_key("b")),
              number(1) + number(1) + number(1) + text("i") + number(1));
  }
  EXPECT_EQ(state_.store.bytes(), 0u);
}

TEST_F(SessionTest, MoreThanTheMemoryEndsOnlyWhoWantsIt) {
  Limits limits;
  limits.memory = 4096;
  StoreState state(limits);
  Client a(state, *this, Dialect::current), b(state, *this, Dialect::current);
  EXPECT_EQ(a.asks(set("k", std::string(3000, 'v'))), "");
  for (const std::string& more :
       {set("l", std::string(3000, 'v')), append("k", std::string(3000, 'v')), queue_push("q", std::string(3000, 'v')),
        set("k", std::string(5000, 'v')), wait(std::vector<std::string>(40, "w"))})
    EXPECT_EQ(Client(state, *this, Dialect::current).asks(more), "ended") << int(more[0]);
  EXPECT_EQ(b.asks(num_keys()), number(1));
  EXPECT_EQ(a.asks(get("k")), text(std::string(3000, 'v')));
}

TEST_F(SessionTest, RepliesThatAreNotReadStallTheRequests) {
  Limits limits;
  limits.pause = 1000;
  StoreState state(limits);
  Client a(state, *this, Dialect::current);
  EXPECT_EQ(a.asks(set("k", std::string(400, 'v'))), "");
  std::string many;
  for (int i = 0; i < 10; ++i) many += get("k");
  EXPECT_TRUE(a.says(many));
  EXPECT_TRUE(a.session().stalled());
  EXPECT_EQ(a.hears().size(), 3 * 408u);
  size_t heard = 3 * 408;
  while (a.session().stalled()) heard += a.asks("").size();
  EXPECT_EQ(heard, 10 * 408u);
  EXPECT_EQ(a.session().held(), 0u);
}

TEST_F(SessionTest, AReplyAboveTheLimitEndsTheClient) {
  Limits limits;
  limits.reply = 1000;
  StoreState state(limits);
  Client a(state, *this, Dialect::current);
  EXPECT_EQ(a.asks(set("k", std::string(400, 'v'))), "");
  EXPECT_EQ(a.asks(multi_get({"k", "k"})).size(), 816u);
  EXPECT_EQ(a.asks(multi_get({"k", "k", "k"})), "ended");
}

}  // namespace
}  // namespace muster::tcpstore
