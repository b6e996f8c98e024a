// SPDX-License-Identifier: Apache-2.0
// Trees as text, for files that muster writes from manifests. Pure.
#pragma once

#include <string>

#include "core/job/document/yaml_document.h"

namespace muster {

// The tree as JSON on one line: quoted values as texts, plain ones as YAML reads them.
std::string tree_json(const YamlNode& tree);

// The tree of a job file (read_manifest) in its shortest form: a job with one group has the keys of the group at the top,
// unless another key needs the name of the group.
YamlNode short_form(YamlNode tree);

}  // namespace muster
