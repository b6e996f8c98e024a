// SPDX-License-Identifier: Apache-2.0
#include "core/controller/submission.h"

#include "core/job/file/job_yaml.h"
#include "core/job/file/validate.h"
#include "core/job/plan/visible_gpus.h"

namespace muster {
namespace {

Result<JobSpec> checked_spec(const std::string& text) {
  ParsedJob parsed = parse_job_json(text, "the submitted job");
  const std::vector<Diagnostic> more = validate(parsed.spec, "the submitted job");
  parsed.diagnostics.insert(parsed.diagnostics.end(), more.begin(), more.end());
  if (has_errors(parsed.diagnostics))
    return Status(Code::invalid_argument, render_diagnostics(parsed.diagnostics, text, false));
  return std::move(parsed.spec);
}

}  // namespace

Result<Submission> submission_of(const SubmitRequest& request, const Backends& backends, Random& random,
                                 bool standalone) {
  Result<JobSpec> spec = checked_spec(request.spec_json);
  if (!spec.ok()) return spec.status();
  const Backend* backend = backends.find(spec->backend);
  if (backend == nullptr) {
    return Status(Code::unimplemented, "this muster has no backend " + std::string(to_string(spec->backend)) +
                                           "; use --backend local to run on this machine");
  }
  if (!request.code_hash.empty() && !is_code_hash(request.code_hash))
    return Status(Code::invalid_argument, "the hash of the submitted code is malformed");
  Result<std::vector<JobHost>> hosts = hosts_from_json(request.hosts_json);
  if (!hosts.ok()) return hosts.status();
  Result<Plan> plan = backend->planning.plan(*spec, {}, {cuda_visible_devices(request.environment), *hosts});
  if (!plan.ok()) return plan.status();
  Submission submission;
  submission.id = JobId::make(random);
  submission.name = spec->name;
  submission.spec = std::move(*spec);
  submission.plan = std::move(*plan);
  submission.hosts = std::move(*hosts);
  submission.seed = random.next();
  submission.origin = request.origin;
  submission.manifest = request.manifest;
  submission.code_commit = request.code_commit;
  submission.code_hash = request.code_hash;
  submission.submit_key = request.submit_key;
  submission.standalone = standalone;
  return submission;
}

}  // namespace muster
