// SPDX-License-Identifier: Apache-2.0
// muster pod: the programs in the pods of a job on Kubernetes. Manifests start them; `muster help` does not show them.
#include "launcher/pod/pod.h"
#include "launcher/command/table.h"

namespace muster {
namespace {

int run_part(CommandContext& context, const std::string& part, const std::string& folder) {
  if (part == "install") return pod::install_main(context.caller, folder);
  if (part == "coordinate") return pod::coordinate_main(context);
  if (part == "agent") return pod::agent_main(context.caller);
  if (part == "verdict") return pod::verdict_main(context.caller);
  return pod::view_main(context.caller);
}

}  // namespace

int pod_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  CommandLine line("pod (install FOLDER | coordinate | agent | verdict | view)",
                   "Runs the programs in the pods of a job on Kubernetes (internal).",
                   "muster render --backend kubernetes job.yaml   # shows how they are started");
  line.words("a part, such as agent", 1, 2, words)
      .note(
          "install: copies muster into the pod, for the user's image.\ncoordinate: runs the job, in one pod.\n"
          "agent: starts the ranks (processes of the job) of one node.\n"
          "verdict: fails if the job has failed, so that its JobSet fails.\n"
          "view: carries the stream of a command such as muster attach.\n\nThe manifests of a job start these "
          "programs.");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const bool installs = words[0] == "install";
  const bool known =
      installs || words[0] == "coordinate" || words[0] == "agent" || words[0] == "verdict" || words[0] == "view";
  if (!known || words.size() != (installs ? 2 : 1))
    return fail(
        context,
        {Code::invalid_argument,
         "muster pod takes install FOLDER, coordinate, agent, verdict or view; the manifests of a job start it"});
  return run_part(context, words[0], installs ? words[1] : "");
}

}  // namespace muster
