// SPDX-License-Identifier: Apache-2.0
#include "core/output/output_retention.h"

#include <algorithm>

#include "core/port/output_messages.h"

namespace muster {

uint64_t keep_from(uint64_t size, uint64_t kept, uint64_t max) {
  if (max == 0 || size <= kept || size - kept <= max) return kept;
  return size - (max - max / 8);
}

void OutputRetention::begin(const std::vector<RetainedOutput>& outputs) {
  retained_.clear();
  for (const RetainedOutput& output : outputs) add(output);
}

void OutputRetention::add(const RetainedOutput& output) {
  const bool known = std::any_of(retained_.begin(), retained_.end(),
                                 [&](const Retained& retained) { return retained.index == output.index; });
  if (!known) retained_.push_back({output.index, {output.out_path, 0, 0, true}, {output.err_path, 0, 0, true}, true});
}

OutputRetention::Beat OutputRetention::beat(TimePoint now) {
  Beat beat;
  for (Retained& retained : retained_) {
    const bool out_grew = measure(retained.out);
    const bool err_grew = measure(retained.err);
    if (out_grew || err_grew) note(retained, now, beat);
    cap(retained, OutputStream::out, beat);
    cap(retained, OutputStream::err, beat);
  }
  return beat;
}

// True if its size changed.
bool OutputRetention::measure(File& file) const {
  const uint64_t size = file.path.empty() ? 0 : keeper_.size(file.path);
  const bool changed = size != file.size;
  file.size = size;
  return changed;
}

void OutputRetention::note(Retained& retained, TimePoint now, Beat& beat) {
  if (!retained.noted) return;
  const std::string times = times_path(retained.out.path);
  const Status noted = keeper_.append(times, encode_sizes({now, retained.out.size, retained.err.size}));
  retained.noted = noted.ok();
  if (noted.ok()) return look_for_room(retained, times, beat);
  // Without inodes, only new files fail. Output of a terminal, which has no file of stderr, waits until there is room.
  const bool no_inodes = noted.message().find(kNoInodes) != std::string::npos;
  const bool full = noted.code() == Code::resource_exhausted && !no_inodes && !retained.err.path.empty();
  beat.troubles.push_back(std::string(full ? std::string_view("output of ranks is being lost: ") : kTimesMissing) +
                          noted.message());
}

// The record fitted into the last block of its file. The rank's own writes may have failed meanwhile, which nobody but the rank sees.
void OutputRetention::look_for_room(Retained& retained, const std::string& times, Beat& beat) {
  if (retained.told_no_room || retained.err.path.empty()) return;
  const Status room = keeper_.room(times);
  retained.told_no_room = !room.ok();
  if (!room.ok()) beat.troubles.push_back("output of ranks may be lost: " + room.message());
}

void OutputRetention::cap(Retained& retained, OutputStream stream, Beat& beat) {
  File& file = stream == OutputStream::out ? retained.out : retained.err;
  const uint64_t wanted = keep_from(file.size, file.kept, max_bytes_);
  if (wanted == file.kept || !file.capped) return;
  const Result<uint64_t> kept = keeper_.drop_before(file.path, wanted);
  if (!kept.ok()) {
    file.capped = false;
    beat.troubles.push_back("logs.max is not enforced: " + kept.status().message());
    return;
  }
  if (*kept > file.kept) beat.dropped.push_back({retained.index, stream, *kept - file.kept, *kept});
  file.kept = std::max(file.kept, *kept);
}

}  // namespace muster
