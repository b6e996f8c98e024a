// SPDX-License-Identifier: Apache-2.0
// Compares a manifest with the table of its fields. Private to core/job/file/kubeflow.
#pragma once

#include "core/job/file/kubeflow/fields/field.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

// Reports fields that Kubernetes would reject (unknown, of the wrong type), refused fields (E1803), and, as notes,
// fields without effect. `path` is the prefix of the names in messages ("spec.").
void check_fields(Reading& reading, ManifestFields fields, const YamlNode& map, const std::string& path = {});

// Reports what Kubernetes would reject in a ConfigMap or Secret. Other objects have no problems.
void check_values_object(Reading& reading, const YamlNode& document);

}  // namespace muster
