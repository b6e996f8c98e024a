// SPDX-License-Identifier: Apache-2.0
// Parses a torchrun command line: argv and environment → TorchrunFlags, with the rules of argparse and of torch's PET_ variables. Pure.
//
// More lenient than Python in two cases: words after the script are never checked, and `--nproc` is not ambiguous because of a flag's two
// spellings (docs/reference/torchrun-differences.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/torchrun/torchrun_flags.h"

namespace muster {

struct CommandFacts;  // cli/command_line.h

struct TorchrunLine {
  enum class Kind { run, help, completion, wrong };
  Kind kind = Kind::run;
  TorchrunFlags flags;  // for `run`; for `completion` only print_completion
  std::string wrong;    // the error message
};

TorchrunLine parse_torchrun(const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& environment);

// A command line of torchrun's modules: `python -m torch.distributed.run --nproc-per-node 2 train.py`. Its ranks run
// under that interpreter. torch.distributed.launch also has --use-env; without it, scripts get --local-rank=N.
// nullopt: the words start something else.
std::optional<TorchrunLine> parse_torchrun_module(const std::vector<std::string>& words,
                                                  const std::map<std::string, std::string>& environment);

// The help text: every flag with its default and what muster does for it.
std::string torchrun_help();

// The help as values.
CommandFacts torchrun_facts();

// A script that completes `torchrun` and its flags in bash, zsh or tcsh.
std::string torchrun_completion(const std::string& shell);

// The flags as the table in docs/reference/torchrun.md.
std::string torchrun_flags_markdown();

}  // namespace muster
