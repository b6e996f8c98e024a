// Where values come from, as text and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/submission/value_layers.h"
#include "core/client/view/style.h"

namespace muster {

// One key with every layer.
std::string explained_key(const ExplainedKey& key, const Style& style);
std::string explained_keys_json(const std::vector<ExplainedKey>& keys);

// Every key, its value and where that comes from; without `all`, those that something other than muster says.
std::string config_table(const std::vector<ExplainedKey>& keys, const Style& style, bool all);
std::string config_json(const std::vector<ExplainedKey>& keys, const std::vector<ConfigFile>& files);

std::string config_files_table(const std::vector<ConfigFile>& files, const Style& style);

}  // namespace muster
