// SPDX-License-Identifier: Apache-2.0
// Readers for lists: commands, words, paths, rules for failures, modules, groups. Each function reads the reader's
// value into its last argument; if the value is invalid, it reports a diagnostic and does not change the argument.
// Private to core/job/file.
#pragma once

#include <string>
#include <vector>

#include "core/job/file/value_reader.h"

namespace muster {

void read_command(ValueReader& reader, std::vector<std::string>& value);
void read_commands(ValueReader& reader, std::vector<std::vector<std::string>>& value);
void read_words(ValueReader& reader, std::vector<std::string>& value);
void read_paths(ValueReader& reader, std::vector<std::string>& value);
void read_failure_rules(ValueReader& reader, std::vector<FailureRule>& value);
void read_warm(ValueReader& reader, WarmSpec& value);
// Reads into the target's job. Call it after the defaults for all groups, such as `worker` of the configuration, were
// read into the target's group.
void read_groups(ValueReader& reader);

}  // namespace muster
