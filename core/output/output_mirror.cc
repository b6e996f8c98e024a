// SPDX-License-Identifier: Apache-2.0
#include "core/output/output_mirror.h"

#include <algorithm>

#include "core/output/order_index.h"

namespace muster {
namespace {

// Older attempts than this are forgotten: they seldom get more output, and then their files are added again.
constexpr Attempt kAttemptsKnown = 8;
// Maximum size of a file. Dropped bytes take no disk space, but they count for readers.
constexpr uint64_t kLongest = uint64_t{1} << 50;

}  // namespace

void OutputMirror::add(const OutputFile& file, const MirroredPaths& paths) {
  forget_old(file.attempt);
  const bool setup = file.stream == OutputStream::setup;
  const std::string& streams = setup ? paths.setup : file.stream == OutputStream::err ? paths.err : paths.out;
  const std::string path = file.stream == OutputStream::order ? order_path(paths.out) : streams;
  files_[file] = {path, keeper_.size(path), false, false, 0};
  if (setup) return;
  retentions_.try_emplace(file.attempt, keeper_, max_bytes_).first->second.add({file.index, paths.out, paths.err});
}

void OutputMirror::forget_old(Attempt newest) {
  const Attempt known = newest > kAttemptsKnown ? newest - kAttemptsKnown : 0;
  std::erase_if(retentions_, [&](const auto& entry) { return entry.first < known; });
  std::erase_if(files_, [&](const auto& entry) { return entry.first.attempt < known && !entry.second.waits; });
}

// A host may send wrong values. A gap is possible only if logs.max drops bytes, or in an order file.
bool OutputMirror::plausible(const File& file, const OutputBytes& bytes) const {
  const bool gap = bytes.kept > file.size;
  return bytes.bytes.size() <= kOutputFrame && bytes.kept <= bytes.offset && bytes.offset < kLongest &&
         (!gap || max_bytes_ > 0 || bytes.file.stream == OutputStream::order);
}

OutputMirror::Heard OutputMirror::heard(const OutputBytes& bytes) {
  File& file = files_.at(bytes.file);
  if (!plausible(file, bytes)) return {};
  if (bytes.kept > file.size) {
    if (const Status begun = keeper_.begin_at(file.path, bytes.kept); !begun.ok())
      return failed(bytes.file, file, begun);
    file.size = bytes.kept;
  }
  if (bytes.offset > file.size) {
    if (std::exchange(file.waits, true)) return {};
    return {OutputTaken{bytes.file, file.size, true}, ""};
  }
  file.waits = false;
  const uint64_t known = file.size - bytes.offset;
  const bool wrote = known < bytes.bytes.size();
  if (wrote) {
    const Status written = keeper_.append(file.path, std::string_view(bytes.bytes).substr(known));
    if (!written.ok()) return failed(bytes.file, file, written);
    file.size = bytes.offset + bytes.bytes.size();
    if (bytes.file.stream == OutputStream::order) {
      const Result<uint64_t> kept = bound_order(keeper_, file.path, file.size, file.kept);
      if (kept.ok()) file.kept = *kept;
    }
  }
  if (std::exchange(file.failed, false)) told_ = false;
  return {OutputTaken{bytes.file, file.size, false}, "", wrote};
}

// A part of the bytes may have been written.
OutputMirror::Heard OutputMirror::failed(const OutputFile& name, File& file, const Status& why) {
  file.size = keeper_.size(file.path);
  file.waits = true;
  file.failed = true;
  if (std::exchange(told_, true)) return {};
  const char* which = name.stream == OutputStream::out ? "output" : "error output";
  return {std::nullopt,
          std::string(which) + " of ranks stays on their hosts, because it cannot be written here: " + why.message()};
}

void OutputMirror::linked(const std::function<bool(const OutputFile&)>& of) {
  for (auto& [name, file] : files_) {
    if (!file.failed && of(name)) file.waits = false;
  }
}

OutputMirror::Beat OutputMirror::beat(TimePoint now) {
  Beat beat;
  for (auto& [name, file] : files_) {
    if (!file.failed) continue;
    file.size = keeper_.size(file.path);
    beat.again.push_back({name, file.size, true});
  }
  if (!beat.again.empty()) return beat;  // times could not be written either
  for (auto& [attempt, retention] : retentions_) {
    OutputRetention::Beat retained = retention.beat(now);
    beat.troubles.insert(beat.troubles.end(), retained.troubles.begin(), retained.troubles.end());
  }
  return beat;
}

}  // namespace muster
