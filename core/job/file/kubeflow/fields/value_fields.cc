// SPDX-License-Identifier: Apache-2.0
// ConfigMaps and Secrets.
#include <array>

#include "core/job/file/kubeflow/fields/kind_fields.h"

namespace muster {
namespace {

using enum FieldType;

constexpr ManifestField kVersionOfValues = used("apiVersion", text, "v1");
constexpr ManifestField kNameOfValues = used("metadata", map, "the name by which a job refers to it");
constexpr ManifestField kImmutableValues = used("immutable", truth, "muster reads the values once, at the submit");

constexpr std::array kConfigMap{
    kVersionOfValues,
    used("kind", text, "ConfigMap"),
    kNameOfValues,
    used("data", map, "texts, for variables and files. Numbers and truth values need quotes, as in Kubernetes"),
    used("binaryData", map, "base64; no variables. With --in-image, a volume of it is refused"),
    kImmutableValues,
};

constexpr std::array kSecret{
    kVersionOfValues,
    used("kind", text, "Secret"),
    kNameOfValues,
    used("data", map, "base64, for variables and files"),
    used("stringData", map, "plain texts; they win over `data`"),
    used("type", text, "muster reads all types in the same way"),
    kImmutableValues,
};

}  // namespace

ManifestFields config_map_fields() { return kConfigMap; }
ManifestFields secret_fields() { return kSecret; }

}  // namespace muster
