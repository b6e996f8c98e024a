// One word of a command line as argparse judges it: which flag it is, if it is one. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/torchrun/torchrun_flags.h"

namespace muster {

// A word that is a flag, or looks like one.
struct TorchrunOption {
  std::vector<const TorchrunFlag*> flags;  // one; none: unknown; several: a beginning of each
  std::string spelled;                     // "--nproc", "-r"
  std::optional<std::string> value;        // behind the = or the letter
};

// Absent: a value or a script. `-5` and words with a blank are values unless a flag begins so.
std::optional<TorchrunOption> torchrun_option(const std::string& word);

// -h, --help: known, and not in the table.
const TorchrunFlag& torchrun_help_flag();

// The flag of this letter, -h included; absent: none.
const TorchrunFlag* torchrun_flag_by_letter(char letter);

// "-r/--redirects", "--nnodes".
std::string torchrun_spellings(const TorchrunFlag& flag);

}  // namespace muster
