// SPDX-License-Identifier: Apache-2.0
// One line of a scenario, such as `report 1 attempt=1 rank=2 exit=SIGSEGV detail="line 7"`: a verb, then words, each plain
// or key=value. Quotes protect blanks.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace muster::scenario {

// An error in the scenario, not in the machine. The harness catches it and adds the line number.
struct BadCommand : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Word {
  std::string key;  // empty: a plain word
  std::string value;
};

struct Command {
  std::string verb;
  std::vector<Word> words;

  // The n-th plain word; throws BadCommand if there is none.
  const std::string& plain(size_t n) const;
  bool has(const std::string& plain_word) const;
  std::string option(const std::string& key, const std::string& otherwise) const;
  uint64_t number(const std::string& key, uint64_t otherwise) const;
  Duration duration(const std::string& key, Duration otherwise) const;
};

Command parse_command(const std::string& line);
uint64_t parse_number(const std::string& text);
Duration parse_time(const std::string& text);

}  // namespace muster::scenario
