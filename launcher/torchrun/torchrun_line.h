// A torchrun command line: argv and environment → TorchrunFlags, by argparse's rules and those of torch's PET_ variables. Pure.
//
// More lenient than Python's in two places: nothing behind the script is ever judged, and `--nproc` is not ambiguous because
// one flag has two spellings (docs/torchrun.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/torchrun/torchrun_flags.h"

namespace muster {

struct CommandFacts;  // cli/command_line.h

struct TorchrunLine {
  enum class Kind { run, help, completion, wrong };
  Kind kind = Kind::run;
  TorchrunFlags flags;  // of run; `print_completion` of completion
  std::string wrong;    // the sentence
};

TorchrunLine parse_torchrun(const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& environment);

// For people: every flag with its default and what muster does for it.
std::string torchrun_help();

// The same as values.
CommandFacts torchrun_facts();

// A script that completes `torchrun` and its flags in bash, zsh or tcsh.
std::string torchrun_completion(const std::string& shell);

// The flags as the rows of docs/torchrun.md.
std::string torchrun_flags_markdown();

}  // namespace muster
