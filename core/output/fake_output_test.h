// SPDX-License-Identifier: Apache-2.0
// Output files in memory and a loop, for the tests of this folder.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "core/port/loop.h"
#include "core/port/output_files.h"
#include "core/port/output_keeper.h"

namespace muster {

class FakeLoop final : public Loop {
 public:
  TimePoint now() const override { return time; }
  void post(std::function<void()> work) override { posted.push_back(std::move(work)); }
  TimerId at(TimePoint, std::function<void()> work) override {
    timer = std::move(work);
    return 1;
  }
  void cancel(TimerId) override {}

  // Runs one turn. False: there is none.
  bool turn() {
    if (posted.empty()) return false;
    const std::function<void()> work = std::move(posted.front());
    posted.pop_front();
    work();
    return true;
  }
  void run() {
    while (turn()) {
    }
  }

  TimePoint time;
  std::deque<std::function<void()>> posted;
  std::function<void()> timer;  // the latest; a test runs it
};

struct FakeFile {
  std::string bytes;
  uint64_t kept = 0;
};

// Both interfaces on the same files.
class FakeOutput final : public OutputFiles, public OutputKeeper {
 public:
  Result<std::string> path(const JobId&, Attempt attempt, const std::string& rank_file, OutputStream stream) override {
    return std::to_string(attempt) + "/" + rank_file + ending_of(stream);
  }
  Result<std::string> read(const std::string& path, uint64_t offset, size_t limit) override {
    ++reads;
    if (on_read) on_read();
    const auto file = files.find(path);
    if (file == files.end() || offset >= file->second.bytes.size()) return std::string();
    std::string bytes = file->second.bytes.substr(offset, limit);
    const uint64_t hole = file->second.kept > offset ? file->second.kept - offset : 0;
    for (size_t i = 0; i < std::min<uint64_t>(hole, bytes.size()); ++i) bytes[i] = '\0';
    return bytes;
  }
  uint64_t size(const std::string& path) const override {
    const auto file = files.find(path);
    return file == files.end() ? 0 : file->second.bytes.size();
  }
  uint64_t first_kept(const std::string& path) const override {
    const auto file = files.find(path);
    return file == files.end() ? 0 : file->second.kept;
  }
  std::unique_ptr<OutputWatch> watch(const JobId&, Attempt attempt, OutputChanged changed) override {
    return std::make_unique<Watch>(*this, attempt, std::move(changed));
  }
  std::unique_ptr<OutputWatch> watch_writes(const std::vector<std::string>& paths, OutputChanged changed) override {
    auto watch = std::make_unique<Watch>(*this, static_cast<Attempt>(std::stoul(paths.front())), std::move(changed));
    watch->names_writes = true;
    return watch;
  }
  Status room(const std::string&) const override {
    return full || no_room ? Status(Code::resource_exhausted, why_full) : Status();
  }
  Status create(const std::string& path) override { return append(path, ""); }
  Status append(const std::string& path, std::string_view bytes) override {
    if (full) return Status(Code::resource_exhausted, why_full);
    files[path].bytes += bytes;
    return Status();
  }
  Result<uint64_t> drop_before(const std::string& path, uint64_t offset) override {
    if (no_holes) return Status(Code::unimplemented, "no holes here");
    files[path].kept = std::max(files[path].kept, offset / block * block);
    return files[path].kept;
  }

  Status begin_at(const std::string& path, uint64_t offset) override {
    files[path] = {std::string(offset, '\0'), offset};
    return Status();
  }
  void remove_rank(const std::string& path) override {
    const std::string rank = path.substr(0, path.rfind('.'));
    std::erase_if(files, [&](const auto& file) { return file.first.starts_with(rank + "."); });
  }

  // A rank writes.
  void print(Attempt attempt, const std::string& path, const std::string& bytes) {
    files[path].bytes += bytes;
    const auto watching = watches;
    for (const auto& [watch, watched] : watching) {
      if (watched.first == attempt && watches.contains(watch)) watched.second({path});
    }
  }

  std::map<std::string, FakeFile> files;
  uint64_t block = 4;
  bool full = false;
  bool no_room = false;  // the disk is full, but appends fit into a block that the file has
  std::string why_full = "the disk is full";
  bool no_holes = false;
  int reads = 0;
  std::function<void()> on_read;
  std::function<void()> on_catch_up;  // the writes that the kernel names then
  std::map<const void*, std::pair<Attempt, OutputChanged>> watches;

 private:
  struct Watch final : OutputWatch {
    Watch(FakeOutput& in, Attempt attempt, OutputChanged changed) : output(in) {
      output.watches[this] = {attempt, std::move(changed)};
    }
    ~Watch() override { output.watches.erase(this); }
    void catch_up() override {
      if (output.on_catch_up) return output.on_catch_up();
      if (!names_writes) output.watches.at(this).second({});
    }
    FakeOutput& output;
    bool names_writes = false;
  };
};

}  // namespace muster
