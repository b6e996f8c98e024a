// SPDX-License-Identifier: Apache-2.0
// OutputRules: how each stream of each local rank is shown on the console, from --redirects, --tee and --local-ranks-filter. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launcher/torchrun/settings.h"

namespace muster {

class OutputRules {
 public:
  // `hostname`: for prefix templates. `to_nowhere`: --log-dir is /dev/null; torch then redirects nothing.
  OutputRules(TorchrunSettings settings, std::string role, std::string hostname, bool to_nowhere);

  // Sets the global rank of this host's local rank 0.
  void count_ranks_from(uint32_t first) { first_ = first; }

  // The prefix of its lines, may be empty. Nothing: the stream is not shown.
  std::optional<std::string> label(uint32_t local_rank, OutputStream stream) const;

  // True if the stream is shown with a prefix; --duplicate-…-filters apply to such streams.
  bool teed(uint32_t local_rank, OutputStream stream) const;

  // The streams that go to files, in the format of --redirects; empty: none.
  std::string files() const;

 private:
  bool hidden(uint32_t local_rank) const;

  const TorchrunSettings settings_;
  const std::string role_;
  const std::string hostname_;
  const bool to_nowhere_;
  uint32_t first_ = 0;
};

}  // namespace muster
