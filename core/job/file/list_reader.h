// Lists in a job file: commands, words, paths, rules on failures, modules, groups. Each function reads the reader's value
// into its last argument, or reports what is wrong and leaves it. Private to core/job/file.
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
// Into the target's job. What configuration says of `worker` holds for every group: it is in the target's group by then.
void read_groups(ValueReader& reader);

}  // namespace muster
