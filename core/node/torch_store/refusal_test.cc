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

// What is told of a client that says so, after another one has set `big` to 1,000 bytes.
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
              ElementsAre("cut a client off: a key of 65 bytes, where 64 B is the most"));
  EXPECT_THAT(told(code(1) + text("step\n1") + number(9 << 20)),
              ElementsAre("cut a client off: a value for `step\\x0a1` of 9,437,184 bytes, where 1 KiB is the most"));
  EXPECT_THAT(told(check({"a", "b", "c", "d", "e"})),
              ElementsAre("cut a client off: a request of 5 keys, where 4 are the most"));
  EXPECT_THAT(told(code(11) + number(2) + text("a") + text(std::string(1000, 'v')) + text("b") + number(1000)),
              ElementsAre("cut a client off: a request of 2043 bytes, where 1.6 KiB is the most"));
  EXPECT_THAT(told(multi_get({"big", "big", "big"})),
              ElementsAre("cut a client off: a reply of 3024 bytes, where 2 KiB is the most"));
  EXPECT_THAT(told(append("big", std::string(100, 'v'))),
              ElementsAre("cut a client off: a value for `big` of 1100 bytes, where 1 KiB is the most"));
}

TEST_F(RefusalTest, AFullStoreIsTold) {
  std::string many;
  for (const char* key : {"a", "b", "c", "d"}) many += set(key, std::string(1000, 'v'));
  EXPECT_THAT(told(many), ElementsAre("cut a client off: the store is full; keys, values and waiters may take 4 KiB "
                                      "together"));
}

TEST_F(RefusalTest, WhoDoesNotSpeakTheProtocolIsTold) {
  EXPECT_THAT(told("GET / HTTP/1.1"),
              ElementsAre("cut a client off: it does not speak TCPStore's protocol, in which no "
                          "request begins with the byte 71"));
  EXPECT_THAT(told(add("big", 1)), ElementsAre("cut a client off: it adds to `big`, whose value is no number"));
}

TEST(ShownKey, IsOneLineAndNotLong) {
  EXPECT_EQ(shown_key("a\nb"), "`a\\x0ab`");
  EXPECT_EQ(shown_key(std::string(70, 'k')), "`" + std::string(64, 'k') + "…`");
}

TEST(Troubles, TellsEachRuleOnce) {
  Troubles troubles;
  EXPECT_EQ(troubles.next(), std::nullopt);
  troubles.tell(too_many_clients(12345));
  troubles.tell(too_many_clients(12346));
  troubles.tell(without_descriptors(1));
  EXPECT_EQ(troubles.next(), "turned a client away: 12,345 are connected, which is the most");
  EXPECT_EQ(troubles.next(),
            "has no file descriptor left with 1 client; others wait to be accepted (ulimit -Hn raises "
            "the limit)");
  EXPECT_EQ(troubles.next(), std::nullopt);
  troubles.tell(too_many_clients(12347));
  EXPECT_EQ(troubles.next(), std::nullopt);
}

}  // namespace
}  // namespace muster::tcpstore
