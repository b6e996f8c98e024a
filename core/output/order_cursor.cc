// SPDX-License-Identifier: Apache-2.0
#include "core/output/order_cursor.h"

#include <algorithm>

namespace muster {
namespace {

constexpr size_t kReadAhead = 2730 * kSizesBytes;
// One piece joins at most so many bytes and records.
constexpr uint64_t kMostJoined = 1024 * 1024;
constexpr uint64_t kMostRecords = 2048;

}  // namespace

OrderCursor::OrderCursor(const std::string& output_path) : path_(order_path(output_path)) {}

const OutputSizes* OrderCursor::record(OutputFiles& files, uint64_t number) {
  if (number < block_number_ || number >= block_number_ + block_.size()) {
    const Result<std::string> bytes = files.read(path_, number * kSizesBytes, kReadAhead);
    block_ = decode_sizes(bytes.ok() ? *bytes : "");
    block_number_ = number;
  }
  return block_.empty() ? nullptr : &block_[number - block_number_];
}

// Finds the first record with bytes that were not shown.
void OrderCursor::find(OutputFiles& files, uint64_t out, uint64_t err) {
  const uint64_t kept = (files.first_kept(path_) + kSizesBytes - 1) / kSizesBytes;
  uint64_t low = kept;
  uint64_t high = std::max(low, files.size(path_) / kSizesBytes);
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const Result<std::string> bytes = files.read(path_, middle * kSizesBytes, kSizesBytes);
    const std::vector<OutputSizes> probe = decode_sizes(bytes.ok() ? *bytes : "");
    if (!probe.empty() && probe.front().out <= out && probe.front().err <= err) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  number_ = low;
  torn_ = kept > 0 && low == kept;
  found_ = true;
}

std::optional<OrderCursor::Piece> OrderCursor::next(OutputFiles& files, uint64_t out, uint64_t err, bool single) {
  if (!found_ && !recorded(files)) return std::nullopt;
  if (!found_) find(files, out, err);
  const OutputSizes* now = record(files, number_);
  for (; now != nullptr && now->out <= out && now->err <= err; now = record(files, ++number_)) torn_ = false;
  if (now == nullptr) return std::nullopt;
  // Only one stream grows in a record, except in the first after dropped ones.
  const OutputStream stream = now->out > out ? OutputStream::out : OutputStream::err;
  Piece piece{stream, size_of(*now, stream), torn_ ? TimePoint() : now->time};
  const bool alone = stream == OutputStream::err || now->err <= err;
  if (alone && !single) piece.end = extend(files, stream, stream == OutputStream::out ? out : err, piece.end);
  return piece;
}

// Joins the records after this one in which the other stream did not grow.
uint64_t OrderCursor::extend(OutputFiles& files, OutputStream stream, uint64_t from, uint64_t end) {
  const OutputStream other = stream == OutputStream::out ? OutputStream::err : OutputStream::out;
  const uint64_t still = size_of(*record(files, number_), other);
  for (uint64_t ahead = 1; ahead < kMostRecords && end < from + kMostJoined; ++ahead) {
    const OutputSizes* next = record(files, number_ + ahead);
    if (next == nullptr || size_of(*next, other) != still || size_of(*next, stream) < end) break;
    end = size_of(*next, stream);
  }
  return end;
}

}  // namespace muster
