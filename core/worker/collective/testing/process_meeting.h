// SPDX-License-Identifier: Apache-2.0
// Ranks that are separate processes: a forked child uses the Hall of its test over a socket. Linux only.
#pragma once

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "core/worker/collective/testing/hall.h"

namespace muster::worker::testing {

// Sends texts over a socket: their number, then the length and the bytes of each.
class Wire {
 public:
  explicit Wire(int socket) : socket_(socket) {}
  bool write(const std::vector<std::string>& texts) {
    std::string bytes = number(texts.size());
    for (const std::string& text : texts) bytes += number(text.size()) + text;
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  bool read(std::vector<std::string>& texts) {
    uint64_t count = 0;
    if (!take(&count, sizeof count)) return false;
    texts.resize(count);
    for (std::string& text : texts) {
      uint64_t size = 0;
      if (!take(&size, sizeof size)) return false;
      text.resize(size);
      if (!take(text.data(), size)) return false;
    }
    return true;
  }

 private:
  static std::string number(uint64_t value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); }
  bool take(void* to, size_t size) {
    return size == 0 || ::recv(socket_, to, size, MSG_WAITALL) == static_cast<ssize_t>(size);
  }
  int socket_;
};

// The child's side. It learns only by asking that the attempt has ended.
class ProcessMeeting final : public Meeting {
 public:
  ProcessMeeting(int socket, uint32_t rank, uint32_t size) : wire_(socket), rank_(rank), size_(size) {}
  uint32_t rank() const override { return rank_; }
  uint32_t world_size() const override { return size_; }
  std::string address() const override { return "127.0.0.1"; }
  Status set(const std::string& key, const std::string& value) override { return ask({"set", key, value}).status(); }
  void remove(const std::string& key) override { static_cast<void>(ask({"remove", key})); }
  Result<std::string> get(const std::string& key) override { return first(ask({"get", key})); }
  Result<std::string> wait(const std::string& key, Duration) override { return first(ask({"wait", key})); }
  Result<std::vector<std::string>> fence(const std::string& name, const std::string& value,
                                         const std::vector<uint32_t>& ranks, Duration) override {
    std::vector<std::string> request = {"fence", name, value};
    for (const uint32_t rank : ranks) request.push_back(std::to_string(rank));
    return ask(request);
  }
  std::string broken(Duration) override {
    const Result<std::string> why = first(ask({"broken"}));
    return why.ok() ? *why : why.status().message();
  }
  uint64_t on_broken(std::function<void(const std::string&)>) override { return 1; }
  void forget(uint64_t) override {}

 private:
  static Result<std::string> first(const Result<std::vector<std::string>>& answer) {
    if (!answer.ok()) return answer.status();
    return answer->at(0);
  }
  // The answer begins with a code.
  Result<std::vector<std::string>> ask(const std::vector<std::string>& request) {
    std::lock_guard lock(mutex_);
    std::vector<std::string> answer;
    if (!wire_.write(request) || !wire_.read(answer)) return Status(Code::unavailable, "the test is gone");
    const Code code = static_cast<Code>(std::stoi(answer.at(0)));
    answer.erase(answer.begin());
    if (code != Code::ok) return Status(code, answer.at(0));
    return answer;
  }

  std::mutex mutex_;  // mutex: the watch of a communicator and its caller use the socket
  Wire wire_;
  const uint32_t rank_, size_;
};

// A rank in a separate process, which ends when it is killed or when `act` returns.
class Child {
 public:
  // Create it while the test has no other threads.
  Child(Hall& hall, uint32_t rank, const std::function<void(Meeting&)>& act) : hall_(hall), rank_(rank) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(ends[0]);
      {
        ProcessMeeting meeting(ends[1], rank, hall.size());
        act(meeting);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    socket_ = ends[0];
  }
  ~Child() {
    if (pid_ > 0) kill();
    if (server_.joinable()) server_.join();
    ::close(socket_);
  }
  // Answers the child's requests on a new thread. Call it after all forks.
  void serve() {
    server_ = std::thread([this] {
      Wire wire(socket_);
      std::vector<std::string> request;
      while (wire.read(request) && wire.write(answer(request))) {
      }
    });
  }
  // Kills the child by SIGKILL and waits for it.
  void kill() {
    ::kill(pid_, SIGKILL);
    wait();
  }
  // Waits for the child; returns the status of waitpid().
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  static std::vector<std::string> plain(const Status& status) {
    return {std::to_string(static_cast<int>(status.code())), status.message()};
  }
  std::vector<std::string> answer(const std::vector<std::string>& request) {
    const std::string& what = request.at(0);
    if (what == "set") {
      hall_.set(request.at(1), request.at(2));
      return plain(Status());
    }
    if (what == "remove") {
      hall_.remove(request.at(1));
      return plain(Status());
    }
    if (what == "broken") return {"0", hall_.broken(std::chrono::milliseconds(700))};
    if (what == "fence") {
      std::vector<uint32_t> ranks;
      for (size_t i = 3; i < request.size(); ++i) ranks.push_back(static_cast<uint32_t>(std::stoul(request[i])));
      auto values = hall_.fence(rank_, request.at(1), request.at(2), ranks, std::chrono::minutes(1));
      if (!values.ok()) return plain(values.status());
      values->insert(values->begin(), "0");
      return *values;
    }
    const auto value = what == "get" ? hall_.get(request.at(1)) : hall_.wait(request.at(1), std::chrono::minutes(1));
    return value.ok() ? std::vector<std::string>{"0", *value} : plain(value.status());
  }

  Hall& hall_;
  const uint32_t rank_;
  pid_t pid_ = -1;
  int socket_ = -1;
  std::thread server_;
};

}  // namespace muster::worker::testing
