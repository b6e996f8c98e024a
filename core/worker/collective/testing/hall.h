// SPDX-License-Identifier: Apache-2.0
// Hall: the shared store and fences of a test, for ranks that are threads and for ranks that are forked processes
// (process_meeting.h). Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/worker/meeting.h"

namespace muster::worker::testing {

class Hall {
 public:
  explicit Hall(uint32_t size) : size_(size) {}
  uint32_t size() const { return size_; }

  void set(const std::string& key, const std::string& value) {
    std::lock_guard lock(mutex_);
    keys_[key] = value;
    ++messages_;
    changed_.notify_all();
  }
  void remove(const std::string& key) {
    std::lock_guard lock(mutex_);
    keys_.erase(key);
    ++messages_;
  }
  Result<std::string> get(const std::string& key) {
    std::lock_guard lock(mutex_);
    ++messages_;
    changed_.notify_all();
    const auto at = keys_.find(key);
    if (at == keys_.end()) return Status(Code::not_found, "nobody has set `" + key + "`");
    return at->second;
  }
  Result<std::string> wait(const std::string& key, Duration timeout) {
    std::unique_lock lock(mutex_);
    const auto there = [&] { return keys_.count(key) > 0 || !broken_.empty(); };
    if (!wait_for(lock, timeout, there)) return Status(Code::deadline_exceeded, "nobody has set `" + key + "`");
    if (!broken_.empty()) return Status(Code::failed_precondition, broken_);
    return keys_[key];
  }
  Result<std::vector<std::string>> fence(uint32_t rank, const std::string& name, const std::string& value,
                                         std::vector<uint32_t> ranks, Duration timeout) {
    if (ranks.empty()) {
      for (uint32_t each = 0; each < size_; ++each) ranks.push_back(each);
    }
    std::unique_lock lock(mutex_);
    ++messages_;
    std::map<uint32_t, std::string>& values = fences_[{name, ranks}];
    values[rank] = value;
    changed_.notify_all();
    const auto there = [&] { return values.size() == ranks.size() || !broken_.empty(); };
    if (!wait_for(lock, timeout, there)) {
      return Status(Code::deadline_exceeded, "not all ranks came to `" + name + "`");
    }
    if (!broken_.empty()) return Status(Code::failed_precondition, broken_);
    std::vector<std::string> all;
    for (const auto& [each, text] : values) all.push_back(text);
    return all;
  }

  // Ends the attempt: waiting calls fail, and listeners are called.
  void break_up(const std::string& why) {
    std::map<uint64_t, std::function<void(const std::string&)>> listeners;
    {
      std::lock_guard lock(mutex_);
      broken_ = why;
      listeners.swap(listeners_);
      telling_ = true;
      changed_.notify_all();
    }
    for (auto& [number, tell] : listeners) tell(why);
    std::lock_guard lock(mutex_);
    telling_ = false;
    changed_.notify_all();
  }
  std::string broken(Duration patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return !broken_.empty(); });
    return broken_;
  }
  uint64_t on_broken(std::function<void(const std::string&)> tell) {
    std::unique_lock lock(mutex_);
    const uint64_t number = ++last_listener_;
    if (broken_.empty()) {
      listeners_[number] = std::move(tell);
      return number;
    }
    const std::string why = broken_;
    lock.unlock();
    tell(why);
    return number;
  }
  void forget(uint64_t number) {
    std::unique_lock lock(mutex_);
    listeners_.erase(number);
    changed_.wait(lock, [&] { return !telling_; });
  }

  // Requests so far.
  uint64_t messages() {
    std::lock_guard lock(mutex_);
    return messages_;
  }
  // Waits until there have been `count` requests; false: not within a minute.
  bool await_messages(uint64_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return messages_ >= count; });
  }

 private:
  // mutex: held by `lock`
  template <typename There>
  bool wait_for(std::unique_lock<std::mutex>& lock, Duration timeout, There there) {
    if (timeout > Duration::zero()) return changed_.wait_for(lock, timeout, there);
    changed_.wait(lock, there);
    return true;
  }

  const uint32_t size_;
  std::mutex mutex_;  // mutex: protects the rest; ranks are threads
  std::condition_variable changed_;
  std::map<std::string, std::string> keys_;
  std::map<std::pair<std::string, std::vector<uint32_t>>, std::map<uint32_t, std::string>> fences_;
  std::map<uint64_t, std::function<void(const std::string&)>> listeners_;
  std::string broken_;
  uint64_t last_listener_ = 0;
  uint64_t messages_ = 0;
  bool telling_ = false;
};

class ThreadMeeting : public Meeting {
 public:
  ThreadMeeting(Hall& hall, uint32_t rank) : hall_(hall), rank_(rank) {}
  uint32_t rank() const override { return rank_; }
  uint32_t world_size() const override { return hall_.size(); }
  std::string address() const override { return "127.0.0.1"; }
  Status set(const std::string& key, const std::string& value) override {
    hall_.set(key, value);
    return Status();
  }
  Result<std::string> get(const std::string& key) override { return hall_.get(key); }
  void remove(const std::string& key) override { hall_.remove(key); }
  Result<std::string> wait(const std::string& key, Duration timeout) override { return hall_.wait(key, timeout); }
  Result<std::vector<std::string>> fence(const std::string& name, const std::string& value,
                                         const std::vector<uint32_t>& ranks, Duration timeout) override {
    return hall_.fence(rank_, name, value, ranks, timeout);
  }
  std::string broken(Duration patience) override { return hall_.broken(patience); }
  uint64_t on_broken(std::function<void(const std::string&)> tell) override { return hall_.on_broken(std::move(tell)); }
  void forget(uint64_t number) override { hall_.forget(number); }

 private:
  Hall& hall_;
  const uint32_t rank_;
};

// Runs act(meeting) once for each rank, in parallel; returns when all have returned.
template <typename Act>
void each_rank(Hall& hall, Act act) {
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < hall.size(); ++rank) {
    threads.emplace_back([&hall, rank, &act] {
      ThreadMeeting meeting(hall, rank);
      act(meeting);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace muster::worker::testing
