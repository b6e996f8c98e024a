// SPDX-License-Identifier: Apache-2.0
// launch_mpi_pods().
#include "core/job/file/kubeflow/framework_launch.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/launch_words.h"
#include "core/job/file/kubeflow/pod_cluster.h"
#include "core/job/file/kubeflow/replica_specs.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/interpreters.h"
#include "core/job/mpirun/launcher_variables.h"

namespace muster {
namespace {

// Sets PATH so that mpirun and mpiexec are those of muster.
constexpr std::string_view kSetPath =
    "PATH=$(\"${MUSTER_PROGRAM:?muster cannot be started on this host, so there is no mpirun of it}\" mpirun "
    "--shim):$PATH || exit; export PATH";
// Ends with its job: the ranks of mpirun start beside it.
constexpr std::string_view kWait[] = {"sleep", "2147483647"};

// A login shell reads the profile of the user, which may set PATH anew, so its text sets PATH too.
void set_path_after_profile(std::vector<YamlNode>& words) {
  if (words.empty() || !is_shell_name(words.front().text)) return;
  bool login = false;
  for (size_t at = 1; at + 1 < words.size() && words[at].text.starts_with('-'); ++at) {
    const std::string& flag = words[at].text;
    const bool single = !flag.starts_with("--");
    login |= flag == "--login" || (single && flag.find_first_of("li") != std::string::npos);
    if (single && flag.ends_with('o')) ++at;  // -o NAME
    if (!single || flag.find('c') == std::string::npos) continue;
    if (login) words[at + 1].text.insert(0, std::string(kSetPath) + "\n");
    return;
  }
}

// The image's own mpirun would find neither daemons nor sshd.
void call_our_mpirun(std::vector<YamlNode>& words) {
  if (std::vector<YamlNode> plain = without_shell(words); starts_mpirun(plain)) {
    words = std::move(plain);
    words.front().text = "mpirun";
  }
  set_path_after_profile(words);
  const SourceRange where = words.front().where;
  const std::string script = std::string(kSetPath) + "; exec \"$0\" \"$@\"";
  words.insert(words.begin(), {text_node("/bin/sh", where), text_node("-c", where), text_node(script, where)});
}

void wait_for_launcher(PodGroup& workers) {
  workers.command.clear();
  for (const std::string_view word : kWait) workers.command.push_back(text_node(std::string(word), workers.where));
}

// The program is known only at run time, so muster cannot divide the resources of a node among ranks.
void add_launcher(Reading& reading, YamlNode& job, MpiPods pods, const MpiSize& size) {
  PodGroup& launcher = pods.launcher;
  launcher.name = "launcher";
  const SourceRange where = launcher.where;
  put(job, "framework", text_node("custom", where));
  std::string groups = size.launcher_works ? launcher.name : "";
  if (pods.workers && size.workers > 0) groups += (groups.empty() ? "" : ",") + pods.workers->name;
  for (const auto& [name, value] :
       {std::pair(kMpirunGroups, groups), std::pair(kMpirunSlots, std::to_string(size.slots))}) {
    if (child(&launcher.env, name) == nullptr) put(launcher.env, name, text_node(value, where));
  }
  call_our_mpirun(launcher.command);
  give_added(launcher);
  // mpirun starts ranks in the folder of the launcher.
  std::optional<YamlNode> folder;
  if (const YamlNode* there = child(&launcher.pods, kWorkdir)) folder = *there;
  add_group(reading, job, std::move(launcher), {plain_node("1", where), std::nullopt});
  if (!pods.workers || size.workers == 0) return;
  wait_for_launcher(*pods.workers);
  std::erase_if(pods.workers->pods.entries, [](const YamlEntry& each) { return each.key == kWorkdir; });
  if (folder) put(pods.workers->pods, kWorkdir, *folder);
  give_added(*pods.workers);
  add_group(reading, job, std::move(*pods.workers),
            {plain_node(std::to_string(size.workers), size.where), std::nullopt});
  mark_last_group(job, "success", "background");
}

}  // namespace

void note_command_of_workers(Reading& reading, const PodGroup& workers) {
  if (workers.command.empty() || last_part(workers.command.front().text) == "sshd") return;
  reading.note(workers.command.front().where,
               "`command` of the workers has no effect: muster starts the ranks itself. Put its work into the command "
               "of the launcher, or into `setup` of a job file");
}

void launch_mpi_pods(Reading& reading, YamlNode& job, MpiPods pods, const MpiSize& size) {
  const PodGroup& launcher = pods.launcher;
  if (!starts_mpi_ranks(launcher)) return add_launcher(reading, job, std::move(pods), size);
  const bool differs = pods.workers && flat_text(launcher.patch) != flat_text(pods.workers->patch);
  if ((differs && !launcher.patch.entries.empty()) || (pods.workers && has_other_settings(launcher, *pods.workers)))
    reading.note(launcher.where,
                 "volumes and other settings of the launcher's pod are not used: the ranks run in the pods of the "
                 "workers");
  PodGroup ranks =
      pods.workers ? join_mpi_pods(launcher, *pods.workers, size.launcher_works) : std::move(pods.launcher);
  ranks.name = pods.ranks_name;
  const uint64_t nodes = size.workers + (size.launcher_works ? 1 : 0);
  GroupSize of_ranks{plain_node(std::to_string(nodes), size.where), plain_node(std::to_string(size.slots), size.where)};
  launch_mpi(reading, job, ranks, of_ranks);
  add_group(reading, job, std::move(ranks), of_ranks);
}

}  // namespace muster
