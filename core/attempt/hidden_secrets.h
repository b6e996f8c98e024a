// SPDX-License-Identifier: Apache-2.0
// Removes the values of a job's secrets from texts of its programs, before they go into sentences, journal and views.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/port/agent_messages.h"

namespace muster {

// Replaces what is part of a secret by the name of its variable: "bad token [WANDB_API_KEY]". It hides
// - a value of at least four bytes;
// - each line of a value, and each string in a value that is a JSON text, of at least eight bytes;
// - all of them as Python's repr, JSON and a shell print them;
// - the first eight bytes or more of them, if the text was cut there.
// Immutable; any thread.
class HiddenSecrets {
 public:
  // `secrets`: values by variable.
  explicit HiddenSecrets(const std::map<std::string, std::string>& secrets);

  bool empty() const { return pieces_.empty(); }

  std::string hide(std::string_view text) const;
  // Hides in the failure message of each rank and of the setup, and in the trouble.
  Report hide(Report report) const;

 private:
  using Names = std::map<std::string, std::string>;  // of variables, by what is hidden
  struct Match {
    size_t length = 0;  // 0: none
    std::string_view name;
  };

  void add(const std::string& name, std::string_view text, size_t shortest);
  Match longest_at(std::string_view text) const;

  std::unordered_map<std::string, Names> pieces_;  // by their first four bytes
};

}  // namespace muster
