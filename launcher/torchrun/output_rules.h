// OutputRules: where each stream of each local rank goes on the console, by --redirects, --tee and --local-ranks-filter. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launcher/torchrun/settings.h"

namespace muster {

class OutputRules {
 public:
  // `hostname` for templates. `to_nowhere`: --log-dir is /dev/null, so that torch redirects nothing.
  OutputRules(TorchrunSettings settings, std::string role, std::string hostname, bool to_nowhere);

  // Of the whole job's ranks: this host's are behind those of the hosts before it.
  void count_ranks_from(uint32_t first) { first_ = first; }

  // What stands before its lines, empty for nothing; absent: it is not shown.
  std::optional<std::string> label(uint32_t local_rank, OutputStream stream) const;

  // Shown with a prefix: what the filters of --duplicate-…-filters read.
  bool teed(uint32_t local_rank, OutputStream stream) const;

  // The streams that go to files as --redirects writes it; empty: none does.
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
