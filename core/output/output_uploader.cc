// SPDX-License-Identifier: Apache-2.0
#include "core/output/output_uploader.h"

#include <algorithm>

namespace muster {

void OutputUploader::add(const OutputFile& file, const std::string& path) {
  if (path.empty()) return;
  File& added = all_[file];
  added.path = path;
  by_path_[path] = file;
  enqueue(file, added);
}

void OutputUploader::enqueue(const OutputFile& name, File& file) {
  if (std::exchange(file.queued, true)) return;
  waiting_[name.attempt].push_back(name);
}

void OutputUploader::connect(bool connected) {
  connected_ = connected;
  under_way_ = 0;
  cautious_ = false;
  for (auto& [name, file] : all_) {
    file.sent = file.taken;
    file.unsure = file.ask = connected && file.taken > 0;
    enqueue(name, file);
  }
}

void OutputUploader::grew(const std::vector<std::string>& paths) {
  if (paths.empty()) {
    for (auto& [name, file] : all_) enqueue(name, file);
  }
  for (const std::string& path : paths) {
    const auto found = by_path_.find(path);
    if (found != by_path_.end()) enqueue(found->second, all_.at(found->second));
  }
}

void OutputUploader::dropped(const OutputFile& file, uint64_t kept) {
  const auto found = all_.find(file);
  if (found != all_.end()) found->second.kept = std::max(found->second.kept, kept);
}

bool OutputUploader::taken(const OutputTaken& taken) {
  const auto found = all_.find(taken.file);
  if (found == all_.end()) return false;
  File& file = found->second;
  file.unsure = false;
  under_way_ -= file.sent - file.taken;
  acknowledged_ += taken.size > file.taken ? taken.size - file.taken : 0;
  file.taken = taken.again ? taken.size : std::max(file.taken, taken.size);
  // More than was sent on this link: bytes of the last link had arrived.
  file.sent = taken.again ? file.taken : std::max(file.sent, file.taken);
  under_way_ += file.sent - file.taken;
  cautious_ = taken.again;
  if (taken.again) enqueue(taken.file, file);
  return taken.again || (blocked_ && may_send());
}

// Only if a whole frame fits, so that a flood is not sent in small pieces.
bool OutputUploader::may_send() const {
  const uint64_t window = cautious_ ? kOutputFrame : kOutputWindow;
  return connected_ && (under_way_ == 0 || under_way_ + kOutputFrame <= window);
}

void OutputUploader::pump() {
  while (!waiting_.empty()) {
    blocked_ = !may_send();
    if (blocked_) return;
    auto& [attempt, turn] = *waiting_.begin();
    const OutputFile name = turn.front();
    turn.pop_front();
    if (turn.empty()) waiting_.erase(waiting_.begin());
    File& file = all_.at(name);
    file.queued = false;
    send_some(name, file);
  }
}

void OutputUploader::send_some(const OutputFile& name, File& file) {
  const uint64_t from = std::max(file.sent, file.kept);
  Result<std::string> bytes = files_.read(file.path, from, kOutputFrame);
  if (!bytes.ok() || (bytes->empty() && !file.ask)) return;
  file.ask = false;
  const bool more = bytes->size() == kOutputFrame;
  under_way_ += from + bytes->size() - file.sent;
  file.sent = from + bytes->size();
  send_({name, from, file.kept, std::move(*bytes)});
  if (more) enqueue(name, file);
}

uint64_t OutputUploader::left_in(const File& file) const {
  const uint64_t size = files_.size(file.path);
  const uint64_t gone = std::max(file.taken, file.kept);
  const uint64_t left = size > gone ? size - gone : 0;
  return file.unsure ? std::max<uint64_t>(left, 1) : left;
}

OutputUploader::Left OutputUploader::left() const {
  Left left;
  for (const auto& [name, file] : all_) {
    const uint64_t bytes = left_in(file);
    left.bytes += bytes;
    if (bytes > 0 && left.oldest == 0) left.oldest = name.attempt;
  }
  return left;
}

uint64_t OutputUploader::left_of(Attempt attempt, uint32_t index) const {
  uint64_t bytes = 0;
  for (const OutputStream stream : {OutputStream::out, OutputStream::err, OutputStream::setup, OutputStream::order}) {
    const auto found = all_.find({attempt, index, stream});
    if (found != all_.end()) bytes += left_in(found->second);
  }
  return bytes;
}

// All files of a rank are removed together, with the files beside them.
std::vector<std::string> OutputUploader::forget_before(Attempt attempt) {
  std::vector<std::string> paths;
  for (auto at = all_.begin(); at != all_.end() && at->first.attempt < attempt;) {
    const auto [of, index, stream] = at->first;
    const auto next = all_.upper_bound({of, index, OutputStream::order});
    if (left_of(of, index) == 0) {
      paths.push_back(at->second.path);
      while (at != next) at = forget(at);
    }
    at = next;
  }
  return paths;
}

OutputUploader::Files::iterator OutputUploader::forget(Files::iterator file) {
  under_way_ -= file->second.sent - file->second.taken;
  const auto turn = waiting_.find(file->first.attempt);
  if (turn != waiting_.end() && std::erase(turn->second, file->first) > 0 && turn->second.empty()) waiting_.erase(turn);
  by_path_.erase(file->second.path);
  return all_.erase(file);
}

}  // namespace muster
