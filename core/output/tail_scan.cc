// SPDX-License-Identifier: Apache-2.0
#include "core/output/tail_scan.h"

#include <algorithm>

namespace muster {
namespace {

constexpr uint64_t kBlock = 256 * 1024;
constexpr uint64_t kLongLine = 64 * 1024;

}  // namespace

uint64_t line_start(OutputFiles& files, const std::string& path, uint64_t floor, uint64_t offset) {
  const uint64_t begin = std::max(floor, offset - std::min(offset, kLongLine));
  if (begin >= offset) return offset;
  const Result<std::string> before = files.read(path, begin, offset - begin);
  if (!before.ok()) return offset;
  const size_t newline = before->rfind('\n');
  if (newline != std::string::npos) return begin + newline + 1;
  return begin == floor ? floor : offset;
}

TailScan::TailScan(std::string path, uint64_t floor, uint64_t end, uint64_t lines)
    : path_(std::move(path)),
      floor_(std::min(floor, end)),
      end_(end),
      missing_(lines),
      start_(end),
      done_(lines == 0) {}

bool TailScan::step(OutputFiles& files) {
  if (done_ || start_ <= floor_) return true;
  const uint64_t begin = std::max(floor_, start_ - std::min(start_, kBlock));
  const Result<std::string> block = files.read(path_, begin, start_ - begin);
  if (!block.ok() || block->size() != start_ - begin) return done_ = true;
  done_ = found_in(*block, begin);
  if (!done_) start_ = begin;
  return done_ || start_ <= floor_;
}

bool TailScan::found_in(const std::string& block, uint64_t begin) {
  for (size_t at = block.rfind('\n'); at != std::string::npos;
       at = at == 0 ? std::string::npos : block.rfind('\n', at - 1)) {
    const uint64_t behind = begin + at + 1;
    if (behind == end_ || --missing_ > 0) continue;
    start_ = behind;
    return true;
  }
  return false;
}

}  // namespace muster
