// What must hold across keys of a job, whatever wrote it. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/file/job_yaml.h"
#include "core/job/job_spec.h"

namespace muster {

// Names, ranges, contradictions (never_on and always_on, min above max nodes, tty rank beyond the world, …). Each
// is placed where `places` says its value stands, or what encloses it; `origin` stands for the place where no
// better one is known.
std::vector<Diagnostic> validate(const JobSpec& spec, const std::string& origin, const Places& places = {});

// Everything wrong with a job that was read (and overridden): its own diagnostics and validate's, without those
// that only follow from a problem already named.
std::vector<Diagnostic> check_job(const ParsedJob& job, const std::string& origin);

}  // namespace muster
