#include "core/output/output_tender.h"

#include <algorithm>

namespace muster {

uint64_t keep_from(uint64_t size, uint64_t kept, uint64_t max) {
  if (max == 0 || size <= kept || size - kept <= max) return kept;
  return size - (max - max / 8);
}

void OutputTender::begin(const std::vector<TendedOutput>& outputs) {
  tended_.clear();
  for (const TendedOutput& output : outputs) add(output);
}

void OutputTender::add(const TendedOutput& output) {
  const bool known =
      std::any_of(tended_.begin(), tended_.end(), [&](const Tended& tended) { return tended.index == output.index; });
  if (!known) tended_.push_back({output.index, {output.out_path, 0, 0, true}, {output.err_path, 0, 0, true}, true});
}

OutputTender::Beat OutputTender::beat(TimePoint now) {
  Beat beat;
  for (Tended& tended : tended_) {
    const bool out_grew = measure(tended.out);
    const bool err_grew = measure(tended.err);
    if (out_grew || err_grew) note(tended, now, beat);
    cap(tended, OutputStream::out, beat);
    cap(tended, OutputStream::err, beat);
  }
  return beat;
}

// True when its size changed.
bool OutputTender::measure(File& file) const {
  const uint64_t size = file.path.empty() ? 0 : keeper_.size(file.path);
  const bool changed = size != file.size;
  file.size = size;
  return changed;
}

void OutputTender::note(Tended& tended, TimePoint now, Beat& beat) {
  if (!tended.noted) return;
  const std::string times = times_path(tended.out.path);
  const Status noted = keeper_.append(times, encode_sizes({now, tended.out.size, tended.err.size}));
  tended.noted = noted.ok();
  if (noted.ok()) return;
  const bool full = noted.code() == Code::resource_exhausted;
  beat.troubles.push_back((full ? "what ranks print is being lost: " : "logs --since will show too much: ") +
                          noted.message());
}

void OutputTender::cap(Tended& tended, OutputStream stream, Beat& beat) {
  File& file = stream == OutputStream::out ? tended.out : tended.err;
  const uint64_t wanted = keep_from(file.size, file.kept, max_bytes_);
  if (wanted == file.kept || !file.capped) return;
  const Result<uint64_t> kept = keeper_.drop_before(file.path, wanted);
  if (!kept.ok()) {
    file.capped = false;
    beat.troubles.push_back("logs.max does not hold: " + kept.status().message());
    return;
  }
  if (*kept > file.kept) beat.dropped.push_back({tended.index, stream, *kept - file.kept, *kept});
  file.kept = std::max(file.kept, *kept);
}

}  // namespace muster
