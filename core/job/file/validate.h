// SPDX-License-Identifier: Apache-2.0
// Checks rules that involve several keys of a job, and limits of its values. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/file/job_yaml.h"
#include "core/job/job_spec.h"

namespace muster {

// Checks names, ranges and contradictions (a rule in never_on and always_on, MIN above MAX nodes, a tty rank that does
// not exist, …). Each problem has the place of its value in `places`, or of the nearest enclosing key; if there is
// none, the place is `origin`.
std::vector<Diagnostic> validate(const JobSpec& spec, const std::string& origin, const Places& places = {});

// The part of validate() that depends on the framework, for a framework that was chosen afterwards.
std::vector<Diagnostic> check_framework(const JobSpec& spec, const std::string& origin, const Places& places);

// All problems of a job that was read (and overridden): its own diagnostics and those of validate(), without those that
// only follow from another one, and with the warnings of literal_variables().
std::vector<Diagnostic> check_job(const ParsedJob& job, const std::string& origin);

}  // namespace muster
