// SPDX-License-Identifier: Apache-2.0
// Merges a job file with its runtimes (templates) into one tree. Each value keeps the file that it came from. Pure.
// Private to core/job; job_yaml.h is the public interface.
#pragma once

#include <vector>

#include "core/job/document/diagnostic_sink.h"
#include "core/job/document/yaml_document.h"

namespace muster {

// `job` and `templates` are maps; `templates` begins with the one that the job names. Values of the job override those
// of the templates. Maps of keys, variables and labels are merged, lists are replaced, and groups are merged by name.
// Reports keys that a template cannot have, and keys that cannot be merged.
YamlNode over_templates(YamlNode job, std::vector<YamlNode> templates, DiagnosticSink& sink);

}  // namespace muster
