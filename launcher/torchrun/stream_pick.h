// SPDX-License-Identifier: Apache-2.0
// StreamPick: a selection of streams by local rank, in the format of --redirects and --tee: "3" for all ranks, "0:3,1:1" by rank; 1 is
// stdout, 2 stderr, 3 both. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/port/output_files.h"

namespace muster {

class StreamPick {
 public:
  StreamPick() = default;

  // `flag`: the name for error messages.
  static Result<StreamPick> parse(const std::string& flag, const std::string& text);

  bool has(uint32_t local_rank, OutputStream stream) const;

  // True if any stream of the first `ranks` ranks is selected.
  bool any(uint32_t ranks) const;

  // The union of both selections for the first `ranks` ranks, in the format of parse().
  std::string with(const StreamPick& other, uint32_t ranks) const;

 private:
  unsigned of(uint32_t local_rank) const;
  unsigned all_ = 0;
  std::map<uint32_t, unsigned> by_rank_;
};

}  // namespace muster
