// SPDX-License-Identifier: Apache-2.0
// Any bytes: the reader answers, its report renders, and a job that is fine survives its JSON.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/job/file/validate.h"

using muster::ParsedJob;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ParsedJob job = muster::parse_job_with_config(text, "job.yaml", {{"muster.yaml", text}});
  const auto problems = muster::check_job(job, "job.yaml");
  MUSTER_CHECK(problems.empty() == muster::render_diagnostics(problems, text, false).empty());
  MUSTER_CHECK(!muster::diagnostics_to_json(problems).empty());
  muster::parse_job_json(text, "job.json");
  const ParsedJob alone = muster::parse_job(text, "job.yaml");
  if (!muster::has_errors(muster::check_job(alone, "job.yaml"))) {
    const ParsedJob again = muster::parse_job(muster::spec_to_json(alone.spec), "again");
    MUSTER_CHECK(again.diagnostics.empty());
    MUSTER_CHECK(again.spec == alone.spec);
    MUSTER_CHECK(muster::parse_job_json(muster::spec_to_json(alone.spec), "again").spec == alone.spec);
  }
  return 0;
}
