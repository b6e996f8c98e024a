// Runtimes: templates that a job file stands on. The text of a job over the texts of its templates, as one tree in which
// each value knows the file it came from. Pure. Private to core/job; job_yaml.h is the door.
#pragma once

#include <vector>

#include "core/job/document/diagnostic_sink.h"
#include "core/job/document/yaml_document.h"

namespace muster {

// `job` and the templates are maps; templates from the nearest to the furthest. A key of the job wins; maps of keys,
// variables and labels are joined, lists are replaced, groups are joined by their names. What a template must not say,
// and what cannot be joined, is reported.
YamlNode over_templates(YamlNode job, std::vector<YamlNode> templates, DiagnosticSink& sink);

}  // namespace muster
