// A JSON text as a YamlNode, for texts that this program wrote itself (spec_to_json): JSON is YAML, but yaml-cpp takes
// ten times as long over it. Places are not known: what people write goes to load_yaml. Same limits; pure.
#pragma once

#include "core/job/document/yaml_document.h"

namespace muster {

YamlDocument load_json(std::string_view text, const std::string& file);

}  // namespace muster
