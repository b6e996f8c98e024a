// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/mpirun_job.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/client/run_program.h"
#include "core/client/submission/host_choice.h"
#include "core/client/submission/job_folder.h"
#include "core/client/submission/job_name.h"
#include "core/client/typed_words.h"
#include "core/job/mpi_library.h"
#include "core/job/mpirun/launcher_variables.h"
#include "core/system/hwloc/cpu_topology.h"
#include "core/system/linux/host_name.h"

namespace muster {
namespace {

Diagnostic unreadable(const std::string& flag, const std::string& name, const Status& why) {
  return mpirun_problem("E1704", flag, "cannot read `" + escaped(name) + "`: " + why.message(),
                        "name a file that is there");
}

Result<std::string> read_typed(const std::string& name, const CallerContext& caller) {
  return read_host_file(name.starts_with('/') ? name : caller.workdir + "/" + name);
}

// Scripts for the MPI operator name its host file, which only its own pods have.
bool means_nodes_of_job(const std::string& name, const CallerContext& caller) {
  return name == kOperatorsHostfile && caller.variable("MUSTER_SOCKET") && access(name.c_str(), F_OK) != 0;
}

// Reads each host file once.
std::optional<Diagnostic> read_host_files(const MpirunFlags& flags, const CallerContext& caller,
                                          std::map<std::string, std::string>& files) {
  for (const MpirunApp& app : flags.apps) {
    for (const std::string& name : app.hostfiles) {
      if (files.contains(name) || means_nodes_of_job(name, caller)) continue;
      auto text = read_typed(name, caller);
      if (!text.ok()) {
        Diagnostic problem = mpirun_problem("E1704", "--hostfile", text.status().message(), "");
        if (const size_t at = problem.message.rfind("; "); at != std::string::npos) {
          problem.help = problem.message.substr(at + 2);
          problem.message.resize(at);
        }
        return problem;
      }
      files[name] = std::move(*text);
    }
  }
  return std::nullopt;
}

// NAME copies a variable of the shell. As mpirun, one that is not set is only noted. NAME may hold a token, so the job has a reference to it.
void set_variables(const std::vector<std::string>& typed, const CallerContext& caller,
                   std::map<std::string, EnvValue>& variables, std::vector<std::string>& notes) {
  for (const std::string& each : typed) {
    const size_t equals = each.find('=');
    if (equals != std::string::npos) {
      variables[each.substr(0, equals)] = {each.substr(equals + 1), std::nullopt};
      continue;
    }
    const auto found = caller.environment.find(each);
    if (found != caller.environment.end()) {
      variables[each] = {"", SecretSource{SecretSource::Kind::env, each, false}};
    } else {
      notes.push_back("-x " + each + ": not set in this shell, so the ranks do not get it");
    }
  }
}

// The folder in which all programs start; empty: they start in different ones.
std::string common_workdir(const MpirunFlags& flags) {
  const std::string& first = flags.apps.front().workdir;
  const bool same =
      std::all_of(flags.apps.begin(), flags.apps.end(), [&](const MpirunApp& app) { return app.workdir == first; });
  return same ? (first.empty() ? "." : first) : "";
}

std::vector<std::string> found_command(const MpirunApp& app, const CallerContext& caller) {
  std::vector<std::string> command = app.command;
  if (app.path.empty() || command.front().find('/') != std::string::npos) return command;
  const std::string found = find_program(command.front(), app.path, caller.workdir);
  if (!found.empty()) command.front() = found;
  return command;
}

GroupSpec group_with(uint32_t cpus) {
  GroupSpec group;
  group.worker.gpus = {false, 0};  // ranks see all GPUs, as under mpirun
  group.worker.cpus = cpus;
  return group;
}

// An entry of kMpiPrograms: the program of the ranks before `end`.
std::string entry_of(const MpirunApp& app, uint32_t end, const CallerContext& caller) {
  std::string program = found_command(app, caller).front();
  const bool below_workdir =
      !app.workdir.empty() && !program.starts_with('/') && program.find('/') != std::string::npos;
  if (below_workdir) program = job_folder("", app.workdir, caller) + "/" + program;
  return std::to_string(end) + "=" + program;
}

// The variable under which a program of a command line with several gets NAME of the shell.
std::string name_for_program(size_t app, const std::string& name) {
  return "MUSTER_APP" + std::to_string(app) + "_" + name;
}

// Several programs on one machine are one group, so that its ranks are on one node as with mpirun: local ranks count over all programs, and
// they share memory. A shell chooses the program of each rank. Its script is public, so values of NAME reach it as variables of the group.
void add_choosing_group(const MpirunFlags& flags, const MpirunLayout& layout, const CallerContext& caller,
                        MpirunSpec& made) {
  GroupSpec group = group_with(layout.cpus);
  std::string script;
  std::vector<std::string> programs;
  for (const MpirunPart& part : layout.parts) {
    const MpirunApp& app = flags.apps[part.app];
    made.ranks += part.ranks;
    script += "if [ \"$MUSTER_RANK\" -lt " + std::to_string(made.ranks) + " ]; then ";
    if (!app.workdir.empty()) script += "cd " + shell_line({job_folder("", app.workdir, caller)}) + " || exit; ";
    std::map<std::string, EnvValue> variables;
    set_variables(app.variables, caller, variables, made.notes);
    for (const auto& [name, value] : variables) {
      const std::string passed = name_for_program(part.app, name);
      if (value.secret) group.env[passed] = value;
      script += "export " + name + "=" + (value.secret ? "\"$" + passed + "\"" : shell_line({value.literal})) + "; ";
    }
    script += "set -- " + shell_line(found_command(app, caller)) + "; el";
    programs.push_back(entry_of(app, made.ranks, caller));
  }
  script += "se exit; fi\n";
  group.env[kMpiPrograms].literal = join(programs, ":");
  for (const auto& [name, value] : group.env) script += "unset " + name + "\n";
  group.workers = {false, made.ranks};
  group.command = {"/bin/sh", "-c", script + "exec \"$@\""};
  made.spec.groups.push_back(std::move(group));
}

// A group has no folder of its own, so a shell changes to it first.
void change_folder(const MpirunApp& app, uint32_t end, const CallerContext& caller, GroupSpec& group) {
  const std::string script = "unset " + std::string(kMpiPrograms) + R"(; cd "$0" && exec "$@")";
  const std::vector<std::string> before{"/bin/sh", "-c", script, job_folder("", app.workdir, caller)};
  group.command.insert(group.command.begin(), before.begin(), before.end());
  group.env[kMpiPrograms].literal = entry_of(app, end, caller);
}

std::string group_name(const MpirunApp& app, size_t count, std::set<std::string>& taken) {
  if (count == 1) return "worker";
  const std::string base = plain_job_name(program_word(app.command)).substr(0, 30);
  std::string name = base;
  for (size_t number = 2; !taken.insert(name).second; ++number) name = base + "-" + std::to_string(number);
  return name;
}

// A group for each part. Labels bind it to its hosts.
void add_groups(const MpirunSource& source, const MpirunLayout& layout, const CallerContext& caller, MpirunSpec& made) {
  JobSpec& spec = made.spec;
  const bool several = layout.parts.size() > 1;
  const bool changes_folder = common_workdir(source.flags).empty();
  spec.world = several ? World::shared : World::own;
  std::set<std::string> names;
  for (const MpirunPart& part : layout.parts) {
    const MpirunApp& app = source.flags.apps[part.app];
    GroupSpec group = group_with(layout.cpus);
    group.name = group_name(app, layout.parts.size(), names);
    group.min_nodes = group.max_nodes = static_cast<uint32_t>(part.hosts.size());
    group.workers = {false, part.ranks};
    group.command = found_command(app, caller);
    if (layout.parts.size() > source.flags.apps.size()) group.env[kMpiApp].literal = std::to_string(part.app);
    if (source.places.remote && several) group.label = "host-" + std::to_string(part.hosts.front());
    set_variables(app.variables, caller, group.env, made.notes);
    made.ranks += part.ranks * group.max_nodes;
    if (changes_folder && !app.workdir.empty()) change_folder(app, made.ranks, caller, group);
    spec.groups.push_back(std::move(group));
  }
}

void set_rules(JobSpec& spec, const MpirunFlags& flags) {
  spec.framework = Framework::mpi;
  spec.warm.mode = WarmSpec::Mode::off;
  spec.restarts.limit = flags.restarts.value_or(0);
  spec.restarts.crash_loop = 0;  // restarts as often as it was told
  spec.restarts.min_backoff = spec.restarts.max_backoff = Duration(0);
  spec.timeouts.run = std::chrono::seconds(flags.seconds.value_or(0));
}

// With several parts, labels bind each group to its hosts.
void set_hosts(JobSpec& spec, const MpirunPlaces& places, const MpirunLayout& layout) {
  if (!places.remote) return;
  spec.backend = BackendKind::ssh;
  std::set<size_t> used;
  for (const MpirunPart& part : layout.parts) used.insert(part.hosts.begin(), part.hosts.end());
  for (const size_t host : used) {
    HostSpec added;
    added.name = places.hosts[host].name;
    if (layout.parts.size() > 1) added.label = "host-" + std::to_string(host);
    spec.hosts.push_back(std::move(added));
  }
  spec.placement = layout.cyclic ? Placement::cyclic : Placement::block;
}

}  // namespace

MpirunSource read_mpirun_files(MpirunFlags flags, const CallerContext& caller,
                               const std::vector<std::string>& own_names) {
  MpirunSource source;
  source.flags = std::move(flags);
  if (!source.flags.appfile.empty()) {
    const std::string name = source.flags.appfile;
    const auto text = read_typed(name, caller);
    if (!text.ok()) {
      source.problem =
          unreadable("--app", name, Status(text.status().code(), "there is no such file, or it is not readable"));
      return source;
    }
    source.texts.push_back({name, *text});
    MpirunLine line = with_appfile(std::move(source.flags), *text, name);
    source.flags = std::move(line.flags);
    source.problem = std::move(line.problem);
    if (source.problem) return source;
  }
  std::map<std::string, std::string> files;
  source.problem = read_host_files(source.flags, caller, files);
  if (source.problem) return source;
  for (const auto& [name, text] : files) source.texts.push_back({name, text});
  source.places = mpirun_places(source.flags, files, own_names);
  source.problem = source.places.problem;
  return source;
}

std::vector<std::string> own_host_names() {
  const std::string name = host_name();
  return {"localhost", "127.0.0.1", "::1", "localhost.localdomain", name, name.substr(0, name.find('.'))};
}

MpirunMachine machine_of(const std::vector<CpuPlace>& places, size_t cpus) {
  std::set<uint32_t> cores;
  std::set<int> sockets;
  std::set<int> numa_nodes;
  for (const CpuPlace& place : places) {
    cores.insert(place.core);
    sockets.insert(place.package);
    numa_nodes.insert(place.numa_node);
  }
  const auto at_least_one = [](size_t count) { return static_cast<uint32_t>(std::max<size_t>(count, 1)); };
  return {.cores = at_least_one(places.empty() ? cpus : cores.size()),
          .threads = at_least_one(places.empty() ? cpus : places.size()),
          .sockets = at_least_one(sockets.size()),
          .numa_nodes = at_least_one(numa_nodes.size())};
}

MpirunFacts mpirun_facts_here(const CallerContext& caller) {
  MpirunFacts facts;
  const std::vector<uint32_t> usable = affinity_cpus();
  std::vector<CpuPlace> places = cpu_places();
  std::erase_if(places, [&](const CpuPlace& place) {
    return std::find(usable.begin(), usable.end(), place.cpu) == usable.end();
  });
  facts.here = machine_of(places, usable.size());
  facts.own_names = own_host_names();
  facts.environment = caller.environment;
  return facts;
}

MpirunSpec mpirun_spec(const MpirunSource& source, const MpirunLayout& layout, const CallerContext& caller) {
  const MpirunFlags& flags = source.flags;
  MpirunSpec made;
  JobSpec& spec = made.spec;
  made.notes = layout.notes;
  set_rules(spec, flags);
  set_hosts(spec, source.places, layout);
  set_variables(flags.variables, caller, spec.env, made.notes);
  const std::string folder = common_workdir(flags);
  spec.workdir = job_folder("", folder.empty() ? "." : folder, caller);
  if (!source.places.remote && layout.parts.size() > 1) {
    add_choosing_group(flags, layout, caller, made);
  } else {
    add_groups(source, layout, caller, made);
  }
  std::sort(made.notes.begin(), made.notes.end());
  made.notes.erase(std::unique(made.notes.begin(), made.notes.end()), made.notes.end());
  Random random(caller.seed);
  spec.name = make_job_name(program_word(flags.apps.front().command), random);
  return made;
}

}  // namespace muster
