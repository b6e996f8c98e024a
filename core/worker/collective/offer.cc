// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/offer.h"

#include <array>
#include <charconv>

#include "core/base/text.h"

namespace muster::worker {
namespace {

// An error that names the first rank that cannot use the backend, or ok.
Status lacking(const Roster& roster, const std::vector<Offer>& offers, std::string Offer::*lacks, Backend backend) {
  for (uint32_t rank = 0; rank < offers.size(); ++rank) {
    const std::string& why = offers[rank].*lacks;
    if (why.empty()) continue;
    return Status(Code::unimplemented, "`" + roster.name + "` cannot be opened with " +
                                           std::string(to_string(backend)) + ": " + roster.name_of(rank) +
                                           " cannot use it: " + why);
  }
  return Status();
}

}  // namespace

std::string encode(const Offer& offer) {
  const std::vector<std::string> head = {std::to_string(static_cast<int>(offer.wanted)),
                                         std::to_string(offer.gloo_lacks.size()),
                                         std::to_string(offer.nccl_lacks.size()), std::to_string(offer.card.size())};
  return join(head, " ") + "\n" + offer.gloo_lacks + offer.nccl_lacks + offer.card;
}

Result<Offer> decode_offer(std::string_view text) {
  const Status broken(
      Code::data_loss,
      "cannot parse another rank's offer for a communicator; do all ranks run the same version of muster?");
  const size_t line = text.find('\n');
  if (line == std::string_view::npos) return broken;
  const std::vector<std::string> words = split(text.substr(0, line), ' ');
  std::array<size_t, 4> numbers{};
  if (words.size() != numbers.size()) return broken;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto [at, error] = std::from_chars(words[i].data(), words[i].data() + words[i].size(), numbers[i]);
    if (error != std::errc() || numbers[i] > text.size()) return broken;
  }
  std::string_view rest = text.substr(line + 1);
  if (numbers[0] > static_cast<size_t>(Backend::nccl) || rest.size() != numbers[1] + numbers[2] + numbers[3])
    return broken;
  return Offer{static_cast<Backend>(numbers[0]), std::string(rest.substr(0, numbers[1])),
               std::string(rest.substr(numbers[1], numbers[2])), std::string(rest.substr(numbers[1] + numbers[2]))};
}

Result<Backend> agree(const Roster& roster, const std::vector<Offer>& offers) {
  for (uint32_t rank = 1; rank < offers.size(); ++rank) {
    if (offers[rank].wanted == offers[0].wanted) continue;
    return Status(Code::invalid_argument, "the ranks ask for different backends of `" + roster.name +
                                              "`: " + roster.name_of(0) + " for " +
                                              std::string(to_string(offers[0].wanted)) + ", " + roster.name_of(rank) +
                                              " for " + std::string(to_string(offers[rank].wanted)));
  }
  const Status nccl = lacking(roster, offers, &Offer::nccl_lacks, Backend::nccl);
  if (offers[0].wanted == Backend::nccl) {
    if (!nccl.ok()) return nccl;
    return Backend::nccl;
  }
  if (offers[0].wanted == Backend::automatic && nccl.ok()) return Backend::nccl;
  const Status gloo = lacking(roster, offers, &Offer::gloo_lacks, Backend::gloo);
  if (!gloo.ok()) return gloo;
  return Backend::gloo;
}

}  // namespace muster::worker
