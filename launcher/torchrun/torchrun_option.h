// SPDX-License-Identifier: Apache-2.0
// Finds the flag that a word of a command line names, with argparse's rules. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/torchrun/torchrun_flags.h"

namespace muster {

// A word that is a flag or looks like one.
struct TorchrunOption {
  std::vector<const TorchrunFlag*> flags;  // one; none: unknown; several: an ambiguous prefix
  std::string spelled;                     // "--nproc", "-r"
  std::optional<std::string> value;        // the text after the = or the letter
};

// Nothing: the word is a value or a script. `-5` and words with a blank are values unless they match a flag.
std::optional<TorchrunOption> torchrun_option(const std::string& word);

// -h, --help, which are not in the table.
const TorchrunFlag& torchrun_help_flag();

// The flag with this letter, including -h, or null.
const TorchrunFlag* torchrun_flag_by_letter(char letter);

// "-r/--redirects", "--nnodes".
std::string torchrun_spellings(const TorchrunFlag& flag);

}  // namespace muster
