// SPDX-License-Identifier: Apache-2.0
// Identifiers of jobs, attempts, agents, nodes and ranks. Values.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/random.h"
#include "core/base/result.h"

namespace muster {

// 128 bits in lower-case base32 (RFC 4648 alphabet, no padding): 26 characters. The empty id names no job.
class JobId {
 public:
  JobId() = default;
  static JobId make(Random& random);
  // Fails with invalid_argument unless `text` is 26 characters of the alphabet.
  static Result<JobId> parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  auto operator<=>(const JobId&) const = default;

 private:
  explicit JobId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// The number of an attempt (one start of a gang), from 1; 0 means "none yet".
using Attempt = uint32_t;

// A random number an agent draws when it starts; 0 means "unknown".
using Incarnation = uint64_t;

// The index of a node in its plan, and of a rank in its world, from 0.
using NodeIndex = uint32_t;
using Rank = uint32_t;

}  // namespace muster
