// muster pod: what runs in the pods of a job on Kubernetes. Manifests start it, nobody else; not shown in `muster help`.
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
  CommandLine line(
      "pod (install FOLDER | coordinate | agent | verdict | view)",
      "What runs in the pods of a job on Kubernetes: an init container installs muster for the user's image, one pod "
      "coordinates the job, the others are agents of its nodes. `verdict` fails when the job has, and so ends it in "
      "the "
      "eyes of the cluster; `view` carries a viewer's stream. Manifests start these, nobody else.",
      "muster render --backend kubernetes job.yaml   shows how");
  line.words("a part, and what it takes", 1, 2, words);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const bool installs = words[0] == "install";
  const bool known =
      installs || words[0] == "coordinate" || words[0] == "agent" || words[0] == "verdict" || words[0] == "view";
  if (!known || words.size() != (installs ? 2 : 1))
    return fail(context, {Code::invalid_argument,
                          "muster pod install FOLDER, or one of coordinate, agent, verdict, view; manifests start it"});
  return run_part(context, words[0], installs ? words[1] : "");
}

}  // namespace muster
