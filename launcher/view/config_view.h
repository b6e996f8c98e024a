// SPDX-License-Identifier: Apache-2.0
// Shows where the values of keys come from, as text and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/submission/value_layers.h"
#include "core/client/view/style.h"

namespace muster {

// One key with its value in each layer.
std::string explained_key(const ExplainedKey& key, const Style& style);
std::string explained_keys_json(const std::vector<ExplainedKey>& keys);

// Each key with its value and its layer. Without `all`, only keys whose value is not muster's default.
std::string config_table(const std::vector<ExplainedKey>& keys, const Style& style, bool all);
std::string config_json(const std::vector<ExplainedKey>& keys, const std::vector<ConfigFile>& files);

std::string config_files_table(const std::vector<ConfigFile>& files, const Style& style);

}  // namespace muster
