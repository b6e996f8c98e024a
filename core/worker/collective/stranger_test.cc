// SPDX-License-Identifier: Apache-2.0
// Another program connects to the port where a rank waits for a peer, before the peer does: opening fails on all ranks with a
// message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "core/worker/collective/communicator.h"
#include "core/worker/collective/testing/hall.h"

namespace muster::worker {
namespace {

using testing::each_rank;
using testing::Hall;
using ::testing::HasSubstr;
using testing::ThreadMeeting;
using namespace std::chrono_literals;

// Connects to every port on which a rank of two waits for the other, and sends `words`.
class Stranger {
 public:
  Stranger(const std::vector<std::string>& offers, const std::string& words) {
    for (size_t rank = 0; rank < offers.size(); ++rank) {
      const std::string card = decode_offer(offers[rank])->card;
      sockaddr_in address{};
      std::memcpy(&address, card.data(), sizeof address);
      std::memcpy(&address.sin_port, card.data() + card.size() - 4 + 2 * (1 - rank), 2);
      sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      EXPECT_EQ(::connect(sockets_.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
      EXPECT_EQ(::send(sockets_.back(), words.data(), words.size(), MSG_NOSIGNAL), static_cast<ssize_t>(words.size()));
    }
  }
  ~Stranger() {
    for (const int socket : sockets_) ::close(socket);
  }

 private:
  std::vector<int> sockets_;
};

// A rank's meeting that lets the stranger connect between the fence and the connections of the peers.
class Overheard final : public Meeting {
 public:
  Overheard(Meeting& real, const std::string& words, std::unique_ptr<Stranger>& stranger)
      : real_(real),
        words_(words),
        stranger_(stranger) {}
  uint32_t rank() const override { return real_.rank(); }
  uint32_t world_size() const override { return real_.world_size(); }
  std::string address() const override { return real_.address(); }
  Status set(const std::string& key, const std::string& value) override { return real_.set(key, value); }
  Result<std::string> get(const std::string& key) override { return real_.get(key); }
  void remove(const std::string& key) override { real_.remove(key); }
  Result<std::string> wait(const std::string& key, Duration timeout) override { return real_.wait(key, timeout); }
  Result<std::vector<std::string>> fence(const std::string& name, const std::string& value,
                                         const std::vector<uint32_t>& ranks, Duration timeout) override {
    auto values = real_.fence(name, value, ranks, timeout);
    if (rank() == 0) {
      stranger_ = std::make_unique<Stranger>(*values, words_);
      EXPECT_EQ(real_.set("stranger", "there"), Status());
    }
    EXPECT_TRUE(real_.wait("stranger", 30s).ok());
    return values;
  }
  std::string broken(Duration patience) override { return real_.broken(patience); }
  uint64_t on_broken(std::function<void(const std::string&)> tell) override { return real_.on_broken(std::move(tell)); }
  void forget(uint64_t number) override { real_.forget(number); }

 private:
  Meeting& real_;
  const std::string words_;
  std::unique_ptr<Stranger>& stranger_;
};

TEST(Strangers, CannotTakeAPeersPlace) {
  ASSERT_TRUE(MUSTER_HAS_GLOO) << "install libgloo-dev, and configure the build again";
  for (const std::string words :
       {"", "x", "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: everything there is\r\n\r\n"}) {
    for (int turn = 0; turn < 2; ++turn) {
      Hall hall(2);
      std::unique_ptr<Stranger> stranger;
      each_rank(hall, [&](Meeting& meeting) {
        Overheard overheard(meeting, words, stranger);
        const auto all = Communicator::open(overheard, {.name = "world", .backend = Backend::gloo, .timeout = 20s});
        ASSERT_FALSE(all.ok());
        EXPECT_EQ(all.status().code(), Code::aborted);
        EXPECT_THAT(all.status().message(), HasSubstr("opening `world` cannot continue: rank "));
        EXPECT_THAT(all.status().message(), HasSubstr(", or another program connected in its place"));
      });
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace muster::worker
