// SPDX-License-Identifier: Apache-2.0
// Readers for `env`, `labels` and references to secrets. Each function reads the reader's value into its last argument;
// if the value is invalid, it reports a diagnostic and does not change the argument. Private to core/job/file.
#pragma once

#include <map>
#include <string>

#include "core/job/file/value_reader.h"

namespace muster {

void read_env(ValueReader& reader, std::map<std::string, EnvValue>& value);
void read_labels(ValueReader& reader, std::map<std::string, std::string>& value);
void read_secret_source(ValueReader& reader, SecretSource& value);

}  // namespace muster
