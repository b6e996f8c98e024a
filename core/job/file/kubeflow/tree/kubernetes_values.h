// SPDX-License-Identifier: Apache-2.0
// The values of a manifest as Kubernetes reads them. Pure. Private to core/job/file/kubeflow.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/job/document/yaml_document.h"

namespace muster {

// true, yes, on, false, no or off, also as True or TRUE, without quotes.
bool is_truth(const YamlNode& node);

// Rewrites the tree: a field without a value (null) is not there, True is true, and 0755 is the number 493.
void settle_values(YamlNode& node);

// The bytes of a value in `data` of a Secret. nullopt: the text is not base64 with its padding. Line ends are skipped.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace muster
