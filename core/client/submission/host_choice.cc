// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/host_choice.h"

#include <algorithm>
#include <fstream>

#include "core/base/text.h"
#include "core/job/file/host_list.h"

namespace muster {
namespace {

constexpr size_t kLargestFile = 1 << 20;
constexpr const char* kFileVariable = "MUSTER_HOSTFILE";

// True if the key comes from a flag or an environment variable.
bool is_typed(const JobDraft& draft, const std::string& key) {
  return std::any_of(draft.overrides.begin(), draft.overrides.end(),
                     [&](const Override& each) { return each.key == key; });
}

bool is_from_configuration(const JobDraft& draft, const std::string& key) {
  const auto place = draft.places.find(key);
  return place != draft.places.end() &&
         std::any_of(draft.layers.begin(), draft.layers.end(),
                     [&](const ConfigLayer& layer) { return layer.file == place->second.file; });
}

Diagnostic contradiction(const char* code, const SourceRange& where, std::string message, std::string help) {
  Diagnostic problem;
  problem.code = code;
  problem.where = where;
  problem.message = std::move(message);
  problem.help = std::move(help);
  return problem;
}

SourceRange place_of_key(const JobDraft& draft, const std::string& key) {
  const auto found = draft.places.find(key);
  return found == draft.places.end() ? SourceRange{draft.origin, 0, 0, 1} : found->second;
}

void settle_backend(JobDraft& draft) {
  const bool typed = is_typed(draft, "hosts") || draft.hosts_of_file;
  const std::string backend(to_string(draft.spec.backend));
  if (typed && !is_typed(draft, "backend") && draft.spec.backend == BackendKind::local) {
    draft.spec.backend = BackendKind::ssh;
    draft.remarks.push_back("backend: ssh (hosts were given)");
  } else if (typed) {
    draft.diagnostics.push_back(
        contradiction("E1406", place_of_key(draft, "hosts"),
                      "hosts are only for the ssh backend, but this job's backend is " + backend,
                      "remove one of the two, or use --backend ssh"));
  } else if (!is_typed(draft, "backend") && !is_from_configuration(draft, "hosts")) {
    draft.diagnostics.push_back(
        contradiction("E1406", place_of_key(draft, "hosts"),
                      "`hosts` are only for the ssh backend, but this job's backend is " + backend,
                      "add `backend: ssh` or --backend ssh; to run the job on this machine: --backend local"));
  }
}

void settle_nodes(JobDraft& draft) {
  if (draft.spec.groups.size() != 1 || draft.places.contains("groups.0.nodes")) return;
  GroupSpec& group = draft.spec.groups.front();
  group.min_nodes = group.max_nodes = static_cast<uint32_t>(draft.spec.hosts.size());
}

}  // namespace

Result<std::string> read_host_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Status(Code::invalid_argument, errno_status(errno, "cannot read the host file `" + path + "`").message() +
                                              "; each line is NAME, NAME:4 or NAME slots=4");
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return errno_status(errno, "read " + path);
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kLargestFile)
    return Status(Code::invalid_argument,
                  path + " is not a host file: it is larger than 1 MiB; name a file with one host per line");
  return text;
}

Status take_host_file(const JobFlags& flags, const CallerContext& caller, JobDraft& draft) {
  const bool by_words = is_typed(draft, "hosts");
  std::optional<std::string> path = flags.hostfile;
  if (!path && !by_words) path = caller.variable(kFileVariable);
  if (!path) return Status();
  const bool flagged = std::any_of(draft.overrides.begin(), draft.overrides.end(),
                                   [](const Override& each) { return each.origin == "--hosts"; });
  if (flagged) return Status(Code::invalid_argument, "--hosts and --hostfile both name hosts; choose one");
  const std::string full = path->starts_with('/') ? *path : caller.workdir + "/" + *path;
  const Result<std::string> text = read_host_file(full);
  if (!text.ok()) return text.status();
  HostList list = parse_host_file(*text, *path);
  draft.hosts_of_file = true;
  draft.sources.push_back({*path, *text});
  draft.places["hosts"] = {*path, 0, 0, 1};
  for (Diagnostic& problem : list.problems) draft.diagnostics.push_back(std::move(problem));
  draft.spec.hosts.clear();
  for (const ListedHost& host : list.hosts) {
    draft.spec.hosts.push_back({host.name, host.slots.value_or(0)});
    draft.spec.hosts.back().label = host.label;
    draft.spec.hosts.back().weight = host.weight.value_or(HostSpec().weight);
  }
  return Status();
}

void settle_hosts(JobDraft& draft) {
  JobSpec& spec = draft.spec;
  if (!spec.hosts.empty() && spec.backend != BackendKind::ssh) settle_backend(draft);
  if (spec.backend != BackendKind::ssh) return spec.hosts.clear();
  if (spec.hosts.empty() && !has_errors(draft.diagnostics)) {
    draft.diagnostics.push_back(contradiction(
        "E1407", place_of_key(draft, "backend"), "the ssh backend needs hosts, but none are given",
        "use --hosts a1,a2, --hostfile FILE, or `hosts: [a1, a2]` in the job file; to run the job on this machine: "
        "--backend local"));
  }
  settle_nodes(draft);
}

}  // namespace muster
