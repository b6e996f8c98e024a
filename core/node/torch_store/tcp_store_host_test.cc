// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/tcp_store_host.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>

#include "core/node/torch_store/address.h"
#include "core/node/torch_store/peer_owner.h"
#include "core/node/torch_store/wire_test.h"

namespace muster {
namespace {

using namespace tcpstore;

constexpr int kPatience = 20000;  // ms

// A connection to a store, in the current dialect.
class Client {
 public:
  explicit Client(uint16_t port, const std::string& address = "127.0.0.1") {
    fd_ = std::move(*connecting_socket({address, port}));
    pollfd writable{fd_.get(), POLLOUT, 0};
    poll(&writable, 1, kPatience);
    says(greeting_of(Dialect::current));
  }
  int fd() const { return fd_.get(); }
  void says(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (done < 0 && errno != EAGAIN) return;
      if (done < 0 && !wait_for(POLLOUT)) return;
      if (done > 0) bytes.remove_prefix(static_cast<size_t>(done));
    }
  }
  // Reads `size` bytes, or what arrives before the connection ends followed by "end".
  std::string hears(size_t size) {
    std::string all;
    while (all.size() < size && wait_for(POLLIN)) {
      char buffer[65536];
      const ssize_t got = recv(fd_.get(), buffer, std::min(sizeof buffer, size - all.size()), 0);
      if (got <= 0) return all + (got == 0 || errno == ECONNRESET ? "end" : "");
      all.append(buffer, static_cast<size_t>(got));
    }
    return all;
  }
  std::string asks(const std::string& bytes, size_t size) {
    says(bytes);
    return hears(size);
  }
  bool wait_for(short what) {
    pollfd event{fd_.get(), what, 0};
    return poll(&event, 1, kPatience) == 1;
  }

 private:
  UniqueFd fd_;
};

class StoreHostTest : public testing::Test {
 protected:
  std::unique_ptr<RankStore> open(const std::string& address = "127.0.0.1") {
    auto store = host_.open({address, 0});
    EXPECT_TRUE(store.ok()) << store.status().message();
    (*store)->admit({"127.0.0.1", "::1"});
    return std::move(*store);
  }
  static uint16_t port(const std::unique_ptr<RankStore>& store) { return TcpStoreHost::port(*store); }
  std::unique_ptr<RankStore> open_proxy(uint16_t there) {
    auto proxy = host_.open_proxy({"127.0.0.1", 0}, {"127.0.0.1", there});
    EXPECT_TRUE(proxy.ok());
    (*proxy)->admit({"127.0.0.1"});
    return std::move(*proxy);
  }

  TcpStoreHost host_;
};

TEST_F(StoreHostTest, BothLoopbacksAreOneStore) {
  const auto store = open("127.0.0.1");
  Client four(port(store)), six(port(store), "::1");
  EXPECT_EQ(four.asks(set("k", "v") + get("k"), 9), text("v"));
  EXPECT_EQ(six.asks(get("k"), 9), text("v"));
  EXPECT_EQ(host_.open({"::1", port(store)}).status().code(), Code::unavailable);
}

TEST_F(StoreHostTest, AnswersWhoIsAdmitted) {
  for (const char* address : {"127.0.0.1", "::1"}) {
    const auto store = open(address);
    Client a(port(store), address), b(port(store), address);
    EXPECT_EQ(a.asks(code(13) + "ping", 4), "ping");
    a.says(wait({"k"}));
    EXPECT_EQ(b.asks(set("k", "v") + get("k"), 9), text("v"));
    EXPECT_EQ(a.hears(1), kGo);
  }
}

TEST_F(StoreHostTest, AnIpv4ClientOfAnIpv6SocketIsTheSame) {
  const auto store = open("::");
  EXPECT_EQ(Client(port(store)).asks(code(13) + "ping", 4), "ping");
}

TEST_F(StoreHostTest, ATakenPortAndAForeignAddressAreToldApart) {
  const auto store = open();
  EXPECT_EQ(host_.open({"127.0.0.1", port(store)}).status().code(), Code::unavailable);
  EXPECT_EQ(host_.open({"192.0.2.1", 0}).status().code(), Code::invalid_argument);
  EXPECT_EQ(host_.open({"localhost", 0}).status().code(), Code::invalid_argument);
  EXPECT_EQ(host_.open_proxy({"127.0.0.1", 0}, {"localhost", 1}).status().code(), Code::invalid_argument);
}

TEST_F(StoreHostTest, APortIsFreeAgainAtOnce) {
  auto store = open();
  const uint16_t there = port(store);
  Client a(there);
  EXPECT_EQ(a.asks(set("k", "v") + num_keys(), 8), number(1));
  store.reset();
  EXPECT_EQ(a.hears(1), "end");
  auto next = host_.open({"127.0.0.1", there});
  ASSERT_TRUE(next.ok());
  (*next)->admit({"127.0.0.1"});
  EXPECT_EQ(Client(there).asks(num_keys(), 8), number(0)) << "nothing of the last store is left";
}

TEST_F(StoreHostTest, BeforeAdmitEverybodyWaits) {
  auto store = host_.open({"127.0.0.1", 0});
  Client a(port(*store));
  a.says(num_keys());
  EXPECT_EQ(recv(a.fd(), nullptr, 0, MSG_DONTWAIT | MSG_PEEK), -1);
  (*store)->admit({});
  EXPECT_EQ(a.hears(8), number(0)) << "loopback is admitted with its process, named or not";
}

TEST_F(StoreHostTest, WhoBreaksTheProtocolIsAlone) {
  const auto store = open();
  Client good(port(store)), bad(port(store)), waiting(port(store));
  waiting.says(wait({"k"}));
  EXPECT_EQ(bad.asks(code(200), 1), "end");
  EXPECT_EQ(Client(port(store)).asks(code(3) + number(1 << 20), 1), "end");
  EXPECT_EQ(good.asks(set("k", "v") + num_keys(), 8), number(1));
  EXPECT_EQ(waiting.hears(1), kGo);
}

TEST_F(StoreHostTest, WhatEndedAClientIsToldBeforeItsEnd) {
  Limits limits;
  limits.clients = 2;
  limits.reply = 1 << 20;
  TcpStoreHost host(limits);
  const auto store = host.open({"127.0.0.1", 0});
  (*store)->admit({});
  Client good(port(*store));
  EXPECT_EQ(good.asks(set("k", "v") + num_keys(), 8), number(1));
  EXPECT_EQ((*store)->next_trouble(), std::nullopt);
  EXPECT_EQ(Client(port(*store)).asks(code(1) + text("k") + number(9 << 20), 1), "end");
  EXPECT_EQ((*store)->next_trouble(),
            "closed a client's connection: a value for `k` has 9,437,184 bytes; the limit is 8 MiB");
  Client second(port(*store));
  EXPECT_EQ(second.asks(num_keys(), 8), number(1));
  EXPECT_EQ(Client(port(*store)).asks(num_keys(), 8), "end");
  EXPECT_EQ((*store)->next_trouble(), "rejected a client: 2 clients are connected, which is the limit");
}

TEST_F(StoreHostTest, WhatEndedACarriedClientIsToldByTheStore) {
  const auto store = open();
  const auto proxy = open_proxy(port(store));
  EXPECT_EQ(Client(port(proxy)).asks(code(200), 1), "end");
  EXPECT_EQ(
      store->next_trouble(),
      "closed a client's connection: it does not speak the TCPStore protocol: no request begins with the byte 200");
  EXPECT_EQ(proxy->next_trouble(), std::nullopt);
}

TEST_F(StoreHostTest, LongValuesPassWhole) {
  const auto store = open();
  Client a(port(store));
  const std::string value(8 << 20, 'v');
  a.says(set("k", value));
  EXPECT_TRUE(a.asks(get("k"), 8 + value.size()) == text(value));
}

TEST_F(StoreHostTest, WhoDoesNotReadHoldsNobodyUp) {
  const auto store = open();
  Client a(port(store)), slow(port(store));
  const std::string value(4 << 20, 'v');
  EXPECT_EQ(a.asks(set("k", value) + num_keys(), 8), number(1));
  std::string many;
  for (int i = 0; i < 40; ++i) many += get("k");
  slow.says(many);
  EXPECT_EQ(a.asks(num_keys(), 8), number(1));
  EXPECT_EQ(slow.hears(40 * (8 + value.size())).size(), 40 * (8 + value.size()));
}

TEST_F(StoreHostTest, WithoutDescriptorsClientsWaitForOne) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const auto store = open();
  EXPECT_EQ(Client(port(store)).asks(code(13) + "ping", 4), "ping");
  UniqueFd socket = std::move(*connecting_socket({"127.0.0.1", port(store)}));
  std::deque<UniqueFd> all;
  rlimit now{256, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &now);
  for (int fd = dup(0); fd >= 0; fd = dup(0)) all.emplace_back(fd);
  all.pop_back();
  {
    Client last(port(store));  // takes the last descriptor; the store has none left
    std::optional<std::string> told;
    pollfd nothing{last.fd(), 0, 0};
    for (int waited = 0; waited < kPatience && !told; waited += 10, poll(&nothing, 1, 10)) told = store->next_trouble();
    EXPECT_TRUE(told && told->starts_with("has no free file descriptor ")) << told.value_or("nothing");
    all.clear();
    EXPECT_EQ(last.asks(code(13) + "ping", 4), "ping");
  }
  setrlimit(RLIMIT_NOFILE, &before);
}

// Runs `what` with a connection to the store in a process of `user`; returns its exit code.
int as_user(uid_t user, uint16_t port, int (*what)(Client&)) {
  const pid_t child = fork();
  if (child == 0) {
    // The raw system call: libc's setresuid signals all threads, which do not exist after a fork.
    if (syscall(SYS_setresuid, user, user, user) != 0) _exit(9);
    Client client(port);
    _exit(what(client));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST_F(StoreHostTest, AProcessOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const auto store = open();
  EXPECT_EQ(as_user(65534, port(store), [](Client& client) { return client.asks(num_keys(), 8) == "end" ? 1 : 2; }), 1);
  EXPECT_EQ(store->next_trouble(), "refused a connection from another user of this machine (user ID 65534)");
  EXPECT_EQ(as_user(0, port(store), [](Client& client) { return client.asks(num_keys(), 8) == number(0) ? 1 : 2; }), 1);
}

TEST_F(StoreHostTest, AnotherUsersRequestIsRefusedAlsoWhenItHasGone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  auto store = host_.open({"127.0.0.1", 0});
  EXPECT_EQ(as_user(65534, port(*store), [](Client& client) { return client.says(set("k", "v")), 1; }), 1);
  (*store)->admit({"127.0.0.1"});
  EXPECT_EQ(Client(port(*store)).asks(num_keys(), 8), number(0));
}

TEST_F(StoreHostTest, TheKernelTellsTheOwnerInBothWays) {
  const PeerOwner owners;
  for (const char* address : {"127.0.0.1", "::1"}) {
    const auto store = open(address);
    auto client = std::make_unique<Client>(port(store), address);
    EXPECT_EQ(client->asks(code(13) + "ping", 4), "ping");
    const SocketEnd peer{*address_of(address), port_of(client->fd())}, here{*address_of(address), port(store)};
    const Owner us{Owner::Kind::process, geteuid()};
    EXPECT_EQ(owners.by_netlink(peer, here), us) << address;
    EXPECT_EQ(PeerOwner::by_proc(peer, here), us) << address;
    const SocketEnd nobody{peer.address, 1};
    EXPECT_EQ(owners.by_netlink(nobody, here), Owner{Owner::Kind::elsewhere});
    EXPECT_EQ(PeerOwner::by_proc(nobody, here), Owner{Owner::Kind::elsewhere});
    // A socket listens at that port, but there is no such connection.
    const SocketEnd listener{peer.address, here.port};
    EXPECT_EQ(owners.by_netlink(listener, {here.address, 1}), Owner{Owner::Kind::elsewhere});
  }
}

TEST_F(StoreHostTest, AFrontEndCarriesItsClients) {
  const auto store = open();
  const auto one = open_proxy(port(store)), two = open_proxy(port(store));
  Client a(port(one)), b(port(one)), c(port(two)), d(port(store));
  EXPECT_EQ(a.asks(code(13) + "ping", 4), "ping");
  a.says(wait({"k"}));
  b.says(barrier("b", 3));
  c.says(barrier("b", 3));
  EXPECT_EQ(d.asks(barrier("b", 3), 1), kGo);
  EXPECT_EQ(b.hears(1) + c.hears(1), kGo + kGo);
  EXPECT_EQ(d.asks(set("k", std::string(5 << 20, 'v')) + check({"k"}), 1), kGo);
  EXPECT_EQ(a.hears(1), kGo);
  EXPECT_EQ(c.asks(get("k"), 8 + (5 << 20)).size(), 8u + (5 << 20));
  EXPECT_EQ(b.asks(code(200), 1), "end");
  EXPECT_EQ(a.asks(list_keys(), 8 + 9 + 9).size(), 26u);
}

TEST_F(StoreHostTest, AFrontEndsClientsWaitForTheStoreAndEndWithIt) {
  auto store = open();
  const uint16_t there = port(store);
  store.reset();
  const auto proxy = open_proxy(there);
  Client early(port(proxy));
  early.says(num_keys());
  auto late = host_.open({"127.0.0.1", there});
  ASSERT_TRUE(late.ok());
  (*late)->admit({"127.0.0.1"});
  EXPECT_EQ(early.hears(8), number(0));
  *late = nullptr;
  EXPECT_EQ(early.hears(1), "end");
}

}  // namespace
}  // namespace muster
