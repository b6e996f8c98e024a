// Where the value of a key comes from: what each layer says, weakest first, and which one counts. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/submission/config_layers.h"
#include "core/client/submission/job_draft.h"

namespace muster {

struct LayerValue {
  std::string layer;  // "built-in", "system", "user", "project", "runtime base", "job file", "environment", "flag"
  std::string place;  // "muster.yaml:3", "--workers"; where it is silent, where it could speak
  std::string value;
  bool says = false;  // the layer has a value
  bool wins = false;
};

struct ExplainedKey {
  std::string key;
  std::string doc;
  std::string value;    // the one that counts; empty: none. Of several: "{A: 1} over {A: 0, B: 2}"
  bool joined = false;  // of several layers, name by name
  std::vector<LayerValue> layers;
};

// The keys that `word` stands for: itself, or what is below it. not_found says what was probably meant.
Result<std::vector<std::string>> keys_below(const std::string& word);

ExplainedKey explain_key(const std::string& key, const JobDraft& draft, const std::vector<ConfigFile>& files);

}  // namespace muster
