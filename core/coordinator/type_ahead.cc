// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/type_ahead.h"

#include <tuple>
#include <utility>

namespace muster {
namespace {

constexpr size_t kMostBytes = 64 * 1024;

}  // namespace

std::optional<TtyInput> TypeAhead::type(const TtyInput& typed, Attempt attempt) {
  if (typed.rows > 0) std::tie(waiting_.rows, waiting_.columns) = std::tie(typed.rows, typed.columns);
  if (attempt_ == attempt) return typed;
  if (waiting_.bytes.size() + typed.bytes.size() <= kMostBytes) waiting_.bytes += typed.bytes;
  return std::nullopt;
}

std::optional<TtyInput> TypeAhead::rank_runs(uint32_t index, Attempt attempt) {
  if (attempt_ == attempt) return std::nullopt;
  attempt_ = attempt;
  TtyInput missed = waiting_;
  missed.index = index;
  waiting_.bytes.clear();
  return missed;
}

}  // namespace muster
