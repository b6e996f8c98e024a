// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/output_rules.h"

#include "launcher/torchrun/line_prefix.h"

namespace muster {

OutputRules::OutputRules(TorchrunSettings settings, std::string role, std::string hostname, bool to_nowhere)
    : settings_(std::move(settings)),
      role_(std::move(role)),
      hostname_(std::move(hostname)),
      to_nowhere_(to_nowhere) {}

bool OutputRules::hidden(uint32_t local_rank) const {
  return !to_nowhere_ && !settings_.shown.empty() && !settings_.shown.contains(local_rank);
}

bool OutputRules::teed(uint32_t local_rank, OutputStream stream) const {
  return !to_nowhere_ && !hidden(local_rank) && settings_.tee.has(local_rank, stream);
}

std::optional<std::string> OutputRules::label(uint32_t local_rank, OutputStream stream) const {
  if (to_nowhere_) return "";
  if (hidden(local_rank)) return std::nullopt;
  if (!settings_.tee.has(local_rank, stream)) {
    return settings_.redirects.has(local_rank, stream) ? std::nullopt : std::optional<std::string>("");
  }
  return substitute_template(settings_.prefix_template, {{"role_name", role_},
                                                         {"rank", std::to_string(first_ + local_rank)},
                                                         {"local_rank", std::to_string(local_rank)},
                                                         {"hostname", hostname_}});
}

std::string OutputRules::files() const {
  const bool any = settings_.redirects.any(settings_.ranks) || settings_.tee.any(settings_.ranks);
  return to_nowhere_ || !any ? "" : settings_.redirects.with(settings_.tee, settings_.ranks);
}

}  // namespace muster
