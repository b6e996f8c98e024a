// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/file/render_cluster.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "backends/kubernetes/manifest/manifest.h"
#include "core/base/text.h"
#include "core/client/fresh_token.h"
#include "core/client/submission/job_name.h"
#include "core/client/view/json.h"
#include "launcher/cli/command_line.h"
#include "launcher/cli/draft_report.h"
#include "launcher/composition/draft_backends.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

// Uses a name without a random part, so that the output can be kept in a repository.
void set_stable_name(JobDraft& draft, const JobWords& words) {
  if (draft.places.contains("name")) return;
  const std::string of_file = words.files.empty() ? "" : file_word(words.files.front());
  const std::string by_file = draft.name_word.empty() ? of_file : draft.name_word;
  draft.spec.name = plain_job_name(by_file.empty() ? program_word(draft.spec.groups.front().command) : by_file);
}

std::string names_of(const std::vector<std::string>& objects) {
  std::string names;
  for (const std::string& object : objects) {
    const Json read = Json::parse(object);
    std::string kind = read["kind"];
    std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
    names += kind + "/" + read["metadata"]["name"].get<std::string>() + "\n";
  }
  return names;
}

std::string text_of(const std::vector<std::string>& objects, const std::string& format) {
  if (format == "name") return names_of(objects);
  if (format == "json") return "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" + join(objects, ",") + "]}\n";
  std::vector<std::string> documents;
  for (const std::string& object : objects) documents.push_back(yaml_from_json(object));
  return join(documents, "---\n");
}

Result<std::vector<std::string>> secret_of(JobDraft& draft, const ClusterJob& job, const CallerContext& caller) {
  const SubmitRequest request = complete_draft(draft, caller);
  const Result<std::string> token = fresh_token();
  if (!token.ok()) return token.status();
  return std::vector<std::string>{secret_object(draft.spec, job, *token, request.secrets)};
}

// The command line that prints the Secret, with the flags that the user typed.
std::string secret_line(const JobWords& words) {
  const bool renders = words.flags.typed.size() > 1 && words.flags.typed[1] == "render";
  std::vector<std::string> line{"muster", "render", "--backend", "kubernetes"};
  if (renders) line = words.flags.typed;
  if (!renders && words.flags.space) line.push_back("--namespace=" + *words.flags.space);
  line.push_back("--secret");
  if (words.files.empty()) line.push_back("--");
  const std::vector<std::string>& job = words.files.empty() ? words.command : words.files;
  line.insert(line.end(), job.begin(), job.end());
  return shell_line(line);
}

// The sentence that names the Secret and the image, which a cluster needs in addition to these objects.
std::string further_needs(const JobWords& words, const JobDraft& draft, const ClusterJob& job) {
  const std::string& own = draft.spec.kubernetes.muster_image;
  const std::string image = own.empty() ? job.image : own;
  return "the job also needs the Secret " + secret_name(job) + ":  " + secret_line(words) +
         " | kubectl apply --server-side -f -\nand the image " + image +
         " in a registry of the cluster: scripts/image builds it, kubernetes.muster_image names another\n";
}

}  // namespace

int render_cluster(CommandContext& context, const JobWords& words, JobDraft& draft, const std::string& format,
                   bool secret) {
  set_stable_name(draft, words);
  const ClusterJob job = cluster_job(draft, context.caller);
  Result<std::vector<std::string>> objects = std::vector<std::string>();
  if (secret) {
    objects = secret_of(draft, job, context.caller);
  } else {
    draft.spec.workdir = draft.written_workdir;
    objects = manifest_objects(draft.spec, job);
  }
  if (has_errors(draft.diagnostics)) {
    context.screen.err(draft_text(context, draft, false));
    return exit_usage;
  }
  if (!objects.ok()) return fail(context, objects.status());
  context.screen.out(text_of(*objects, format));
  for (const std::string& sentence : draft.remarks) context.screen.err(sentence + "\n");
  if (!secret) context.screen.err(further_needs(words, draft, job));
  return exit_ok;
}

}  // namespace muster
