// SPDX-License-Identifier: Apache-2.0
// The help and the documentation of muster mpirun, made from the table of its flags. Pure.
#pragma once

#include <string>

namespace muster {

struct CommandFacts;  // cli/command_facts.h

CommandFacts mpirun_facts();

std::string mpirun_help();

// The flags as the table in docs/reference/mpirun.md, and those without effect or not available as in mpirun-other-flags.md.
std::string mpirun_flags_markdown();
std::string mpirun_other_flags_markdown();

}  // namespace muster
