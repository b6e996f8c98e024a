// SPDX-License-Identifier: Apache-2.0
// Reads JSON that muster wrote itself (spec_to_json) into a YamlNode, ten times as fast as load_yaml. Places are not
// set, so use load_yaml for texts of users. It may be larger (yaml_prescan.h). Pure.
#pragma once

#include "core/job/document/yaml_document.h"

namespace muster {

YamlDocument load_json(std::string_view text, const std::string& file);

}  // namespace muster
