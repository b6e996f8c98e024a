// SPDX-License-Identifier: Apache-2.0
// The runtimes that Kubeflow Trainer installs, under their names. Constant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/document/yaml_document.h"

namespace muster {

// The place of their texts in messages: "built-in runtime NAME".
constexpr std::string_view kBuiltInPlace = "built-in runtime ";

struct BuiltInRuntime {
  std::string_view name;
  std::string_view framework;  // torch, mpi, jax, xgboost: the key of mlPolicy
  std::string_view image;      // empty: a job in a cluster has to name one
  std::string_view description;
};

const std::vector<BuiltInRuntime>& built_in_runtimes();

// The runtime as a manifest; nullopt: there is none of this name.
std::optional<std::string> built_in_runtime_text(std::string_view name);

// The same as a tree that is read once per process; null: there is none of this name.
const YamlNode* built_in_runtime(std::string_view name);

// Why muster does not have a runtime that Trainer has; empty: it is none of those.
std::string_view missing_runtime(std::string_view name);

}  // namespace muster
