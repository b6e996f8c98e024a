// SPDX-License-Identifier: Apache-2.0
// The hosts that a command line of mpirun names, and their slots. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/job/diagnostic.h"

namespace muster {

struct MpirunHost {
  std::string name;
  std::optional<uint32_t> slots;  // nullopt: as many as it has cores
  bool operator==(const MpirunHost&) const = default;
};

// Adds the words of -H. A host without slots has one for each time it is named. Returns the first problem.
std::optional<Diagnostic> add_host_words(const std::vector<std::string>& words, std::vector<MpirunHost>& hosts);

// Adds the lines of a host file: NAME, NAME:4, NAME slots=4 or NAME slots=4 max_slots=8; # begins a comment. A host that is on several
// lines without slots has one for each line. Returns the first problem, with its line and column in `file`.
std::optional<Diagnostic> add_host_file(const std::string& text, const std::string& file,
                                        std::vector<MpirunHost>& hosts);

// If all hosts are names of this machine: one host with all their slots.
bool merge_own_names(std::vector<MpirunHost>& hosts, const std::vector<std::string>& own_names);

}  // namespace muster
