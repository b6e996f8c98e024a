// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/nccl_ras.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "core/system/linux/examine/bounded_talk.h"

namespace muster {
namespace {

// A scripted stand-in for NCCL's RAS, which runs only on machines with a GPU. It answers line by line as documented, and sends
// `last` in reply to the status request.
class RasStandIn {
 public:
  RasStandIn(std::map<std::string, std::string> answers, int connections, const std::string& host = "127.1.2.4")
      : answers_(std::move(answers)) {
    listens_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    EXPECT_EQ(inet_pton(AF_INET, host.c_str(), &address.sin_addr), 1);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listens_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listens_.get(), 4), 0);
    getsockname(listens_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    address_ = host + ":" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this, connections] {
      for (int i = 0; i < connections; ++i) serve();
    });
  }
  ~RasStandIn() { thread_.join(); }

  const std::string& address() const { return address_; }

 private:
  void serve() {
    const TalkLimits limits{std::chrono::steady_clock::now() + std::chrono::seconds(10), 4096};
    const UniqueFd client(accept4(listens_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    for (std::string line = read_through(client.get(), "\n", limits); !line.empty();
         line = read_through(client.get(), "\n", limits)) {
      const auto found = answers_.find(line.substr(0, line.size() - 1));
      write_whole(client.get(), found == answers_.end() ? "ERROR: Unknown command\n" : found->second, limits);
      if (line.find("STATUS") != std::string::npos || found == answers_.end()) return;
    }
  }

  std::map<std::string, std::string> answers_;
  UniqueFd listens_;
  std::string address_;
  std::thread thread_;
};

constexpr const char* kStatus =
    R"({"communicators":[{"size":2,"ranks":[{"rank":0,"pid":70,"collective_counts":{"AllReduce":17}},)"
    R"({"rank":1,"pid":71,"collective_counts":{"AllReduce":16}}]}]})";

std::map<std::string, std::string> new_server() {
  return {{"CLIENT PROTOCOL 2", "SERVER PROTOCOL 2\n"},
          {"TIMEOUT 2", "OK\n"},
          {"SET FORMAT json", "OK\n"},
          {"STATUS", kStatus}};
}

TEST(NcclRas, IsAskedInJson) {
  const RasStandIn stand_in(new_server(), 1);
  EXPECT_EQ(ask_ras(stand_in.address(), 71),
            (std::vector<std::string>{
                "NCCL counts: other ranks have launched 17 AllReduce, but rank 1 of 2 (process 71) 16"}));
}

TEST(NcclRas, WhoAnswersForAnotherJobIsNotBelieved) {
  const RasStandIn stand_in(new_server(), 3);
  EXPECT_TRUE(ask_ras(stand_in.address(), 99).empty());
}

std::map<std::string, std::string> old_server() {
  std::map<std::string, std::string> old = new_server();
  old.erase("SET FORMAT json");
  old["VERBOSE STATUS"] = "Job summary\n\nErrors\n======\n\nDEAD\n  1 job process is considered dead\n";
  return old;
}

TEST(NcclRas, AnOlderOneIsNotBelievedWhereAllJobsListen) {
  const RasStandIn stand_in(old_server(), 1, "127.0.0.1");
  EXPECT_TRUE(ask_ras(stand_in.address(), 70).empty());
}

TEST(NcclRas, AnOlderOneIsAskedInText) {
  const RasStandIn stand_in(old_server(), 2);
  EXPECT_EQ(ask_ras(stand_in.address(), 70),
            (std::vector<std::string>{"NCCL: DEAD: 1 job process is considered dead"}));
}

TEST(NcclRas, OneEndIsSetToAllTries) {
  const RasStandIn stand_in(new_server(), 1);
  EXPECT_TRUE(ask_ras(stand_in.address(), 71, std::chrono::milliseconds(0)).empty());
}

TEST(NcclRas, WhereNobodyListensNobodyIsAsked) {
  EXPECT_TRUE(ask_ras("127.1.2.5:1", 1).empty());
  EXPECT_TRUE(ask_ras("", 1).empty());
  EXPECT_TRUE(ask_ras("example.org:28028", 1).empty());
}

}  // namespace
}  // namespace muster
