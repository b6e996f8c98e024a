// SPDX-License-Identifier: Apache-2.0
#include "launcher/composition/draft_backends.h"

#include "backends/ssh/code/snapshot.h"
#include "core/base/text.h"
#include "core/client/connect/paths.h"
#include "core/client/preflight/preflight.h"
#include "core/client/submission/job_draft.h"

namespace muster {
namespace {

class ClusterDraft final : public DraftBackend {
 public:
  BackendKind kind() const override { return BackendKind::kubernetes; }
  void check(JobDraft& draft, const CallerContext& caller) const override {
    auto found = check_for_cluster(draft.spec, cluster_job(draft, caller), draft.origin, draft.places);
    draft.diagnostics.insert(draft.diagnostics.end(), found.begin(), found.end());
    if (has_errors(draft.diagnostics)) return;
    for (std::string& remark : remarks_for_cluster(draft.spec)) draft.remarks.push_back(std::move(remark));
  }
  std::string pack_code(JobDraft&, const CallerContext&) const override { return ""; }  // the image has the code
};

// Hosts are reached over ssh and have their own folders.
class HostsDraft final : public DraftBackend {
 public:
  BackendKind kind() const override { return BackendKind::ssh; }
  void check(JobDraft&, const CallerContext&) const override {}
  std::string pack_code(JobDraft& draft, const CallerContext& caller) const override {
    if (!draft.spec.sync.sync) return "";
    const JobSpec& spec = draft.spec;
    const auto snapshot = take_snapshot({spec.workdir, spec.sync.max_bytes, caller.environment, code_archives(caller)});
    if (snapshot.ok()) {
      draft.remarks.push_back(
          "muster copies the code to the hosts as it is now: " + count_of(snapshot->entries, "file") + ", " +
          humane_size(snapshot->bytes) + " of " + spec.workdir);
      return snapshot->hash;
    }
    Diagnostic problem;
    problem.code = "E1408";
    problem.where = place_of(draft.places, "workdir", draft.origin);
    problem.message = snapshot.status().message();
    problem.help = snapshot.status().code() == Code::resource_exhausted
                       ? "exclude files in .musterignore, or raise workdir.max"
                       : "muster explain E1408";
    draft.diagnostics.push_back(std::move(problem));
    return "";
  }
};

}  // namespace

const DraftBackends& draft_backends() {
  static const ClusterDraft cluster;
  static const HostsDraft hosts;
  static const DraftBackends all{&cluster, &hosts};
  return all;
}

ClusterJob cluster_job(const JobDraft& draft, const CallerContext& caller) {
  return {.name = draft.spec.name, .image = "muster:" + caller.version};
}

}  // namespace muster
