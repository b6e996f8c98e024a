// SPDX-License-Identifier: Apache-2.0
// Chooses a name for a job without one: "train-7f2ab". Pure.
#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"

namespace muster {

// The word in `command` that names it best: the script of an interpreter, the module after `-m`, else the program.
std::string program_word(const std::vector<std::string>& command);

// The file's stem; the name of its folder if the stem is generic ("job.yaml"). "-" and "" give "".
std::string file_word(const std::string& path);

// `word`, changed to a valid job name (docs/design/journal.md), with a suffix of five random characters.
std::string make_job_name(const std::string& word, Random& random);

// The same without the suffix, for texts that must be reproducible.
std::string plain_job_name(const std::string& word);

}  // namespace muster
