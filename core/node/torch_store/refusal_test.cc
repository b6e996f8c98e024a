// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/node/torch_store/session.h"
#include "core/node/torch_store/wire_test.h"

namespace muster::tcpstore {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Limits small() {
  Limits limits;
  limits.key = 64;
  limits.value = 1024;
  limits.keys = 4;
  limits.request = 1600;
  limits.reply = 2048;
  limits.memory = 4096;
  return limits;
}

// told(): the problems that a client's bytes cause, after another client has set `big` to 1,000 bytes.
class RefusalTest : public testing::Test, public Carrier {
 protected:
  std::vector<std::string> told(const std::string& bytes) {
    StoreState state(small());
    std::vector<std::string> words;
    state.refused = [&](const Refusal& why) { words.push_back(why.words); };
    Session other(state, *this, 0), session(state, *this, 1);
    other.feed(greeting_of(Dialect::current) + set("big", std::string(1000, 'v')));
    const bool good = session.feed(greeting_of(Dialect::current) + bytes);
    EXPECT_EQ(good, words.empty());
    deliver(state.store);
    return words;
  }
  void carry(Session&) override {}
};

TEST_F(RefusalTest, AGoodClientIsNoneOfIt) { EXPECT_THAT(told(set("k", "v") + get("k")), IsEmpty()); }

TEST_F(RefusalTest, ALimitIsToldWithWhatBrokeIt) {
  EXPECT_THAT(told(get(std::string(65, 'k'))),
              ElementsAre("closed a client's connection: a key has 65 bytes; the limit is 64 B"));
  EXPECT_THAT(
      told(code(1) + text("step\n1") + number(9 << 20)),
      ElementsAre("closed a client's connection: a value for `step\\x0a1` has 9,437,184 bytes; the limit is 1 KiB"));
  EXPECT_THAT(told(check({"a", "b", "c", "d", "e"})),
              ElementsAre("closed a client's connection: a request has 5 keys; the limit is 4"));
  EXPECT_THAT(told(code(11) + number(2) + text("a") + text(std::string(1000, 'v')) + text("b") + number(1000)),
              ElementsAre("closed a client's connection: a request has 2043 bytes; the limit is 1.6 KiB"));
  EXPECT_THAT(told(multi_get({"big", "big", "big"})),
              ElementsAre("closed a client's connection: a reply has 3024 bytes; the limit is 2 KiB"));
  EXPECT_THAT(told(append("big", std::string(100, 'v'))),
              ElementsAre("closed a client's connection: a value for `big` has 1100 bytes; the limit is 1 KiB"));
}

TEST_F(RefusalTest, AFullStoreIsTold) {
  std::string many;
  for (const char* key : {"a", "b", "c", "d"}) many += set(key, std::string(1000, 'v'));
  EXPECT_THAT(told(many), ElementsAre("closed a client's connection: the store is full; keys, values and waiters "
                                      "together may take 4 KiB"));
}

TEST_F(RefusalTest, WhoDoesNotSpeakTheProtocolIsTold) {
  EXPECT_THAT(told("GET / HTTP/1.1"),
              ElementsAre("closed a client's connection: it does not speak the TCPStore protocol: "
                          "no request begins with the byte 71"));
  EXPECT_THAT(told(add("big", 1)),
              ElementsAre("closed a client's connection: it adds to `big`, whose value is not a number"));
}

TEST(ShownKey, IsOneLineAndNotLong) {
  EXPECT_EQ(shown_key("a\nb"), "`a\\x0ab`");
  EXPECT_EQ(shown_key(std::string(70, 'k')), "`" + std::string(64, 'k') + "…`");
}

TEST(RefusalLog, TellsEachRuleOnce) {
  RefusalLog log;
  EXPECT_EQ(log.next(), std::nullopt);
  log.tell(too_many_clients(12345));
  log.tell(too_many_clients(12346));
  log.tell(without_descriptors(1));
  EXPECT_EQ(log.next(), "rejected a client: 12,345 clients are connected, which is the limit");
  EXPECT_EQ(log.next(),
            "has no free file descriptor (1 client is connected); further clients wait. Raise the limit with "
            "ulimit -Hn");
  EXPECT_EQ(log.next(), std::nullopt);
  log.tell(too_many_clients(12347));
  EXPECT_EQ(log.next(), std::nullopt);
}

}  // namespace
}  // namespace muster::tcpstore
