// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/host/cluster_doctor.h"

#include "backends/kubernetes/doctor/cluster_check.h"
#include "backends/kubernetes/manifest/manifest.h"
#include "core/client/submission/job_draft.h"
#include "launcher/cli/draft_report.h"
#include "launcher/composition/draft_backends.h"

namespace muster {
namespace {

// The job that is used to check a cluster if the user names none.
constexpr const char* kStandIn = R"({"name":"muster-doctor","command":["true"],"kubernetes":{"image":"none"}})";

Finding no_kubectl() {
  return {Finding::Level::problem, "kubectl", "not found in PATH", "no job can run in a cluster",
          "https://kubernetes.io/docs/tasks/tools"};
}

std::string job_set_of(const JobSpec& spec, const std::string& space, const CallerContext& caller) {
  const ClusterJob job{.name = spec.name, .image = muster_image(caller), .cluster_namespace = space, .owner_uid = ""};
  return manifest_objects(spec, job).back();
}

std::optional<JobSpec> spec_of(CommandContext& context, const std::optional<std::string>& file) {
  if (!file) return parse_job_json(kStandIn, "muster doctor").spec;
  JobWords words;
  words.files = {*file};
  words.flags.set = {"backend=kubernetes"};
  auto draft = draft_job(words, context.caller, draft_backends());
  if (!draft.ok()) {
    fail(context, draft.status());
    return std::nullopt;
  }
  if (has_errors(draft->diagnostics)) {
    context.screen.err(draft_text(context, *draft, false));
    return std::nullopt;
  }
  draft->spec.workdir = draft->written_workdir;
  return draft->spec;
}

void ask(const KubectlAccess& access, const std::vector<ClusterQuestion>& questions, ClusterAnswers& answers) {
  for (auto& [name, answer] : ask_cluster(access, questions)) answers[name] = std::move(answer);
}

}  // namespace

std::optional<std::vector<Finding>> examine_cluster(CommandContext& context, const ClusterWords& words,
                                                    const std::optional<std::string>& file) {
  const std::optional<JobSpec> spec = spec_of(context, file);
  if (!spec) return std::nullopt;
  ClusterCase about{.place = words.place(), .space = "", .has_job = file.has_value(), .job_set = ""};
  about.wanted = spec->kubernetes;
  if (about.place.space.empty()) about.place.space = spec->kubernetes.cluster_namespace;
  const auto access = kubectl_access(context.caller, about.place,
                                     [&screen = context.screen](std::string_view text) { screen.err(text); });
  if (!access.ok()) return std::vector{no_kubectl()};
  ClusterAnswers answers;
  ask(*access, questions_at_home(), answers);
  ask(*access, questions_at_the_door(), answers);
  about.space = about.place.space.empty() ? space_of(answers) : about.place.space;
  about.job_set = job_set_of(*spec, about.space, context.caller);
  if (has_problem(judge_way(about, answers))) return judge_cluster(about, answers);
  ask(*access, questions_inside(about), answers);
  return judge_cluster(about, answers);
}

}  // namespace muster
