// SPDX-License-Identifier: Apache-2.0
// Explains the value of a key: the value in each layer, weakest first, and which one is used. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/submission/config_layers.h"
#include "core/client/submission/job_draft.h"

namespace muster {

struct LayerValue {
  std::string layer;  // "built-in", "system", "user", "project", "runtime base", "job file", "environment", "flag"
  std::string place;  // "muster.yaml:3", "--workers"; without a value, where it could be set
  std::string value;
  bool says = false;  // the layer has a value
  bool wins = false;  // the value is used
};

struct ExplainedKey {
  std::string key;
  std::string doc;
  std::string value;    // the value that is used; empty: none. If merged: "{A: 1} over {A: 0, B: 2}"
  bool joined = false;  // the values of all layers are merged, name by name
  std::vector<LayerValue> layers;
};

// The keys for `word`: the key itself, or all keys below it. The message of not_found suggests a similar key.
Result<std::vector<std::string>> keys_below(const std::string& word);

ExplainedKey explain_key(const std::string& key, const JobDraft& draft, const std::vector<ConfigFile>& files);

}  // namespace muster
