// SPDX-License-Identifier: Apache-2.0
// The kinds of manifests that are jobs. Constant; private to core/job/file/kubeflow.
#pragma once

#include <span>
#include <string_view>

#include "core/job/file/kubeflow/fields/field.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

struct ManifestKind {
  std::string_view api_version;
  std::string_view kind;
  ManifestFields (*fields)();
  void (*read)(Reading& reading, YamlNode& job, const YamlNode& document);
};

std::span<const ManifestKind> all_manifest_kinds();

// Null: unknown.
const ManifestKind* find_manifest_kind(std::string_view api_version, std::string_view kind);

}  // namespace muster
