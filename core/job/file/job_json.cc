// SPDX-License-Identifier: Apache-2.0
// JobSpec → JSON with the keys of the job file, in the order of the table (job_keys.h).
#include "core/job/file/job_json.h"
#include "core/base/text.h"
#include "core/job/failure_rule.h"
#include "core/job/file/host_list.h"
#include "core/job/file/job_yaml.h"
#include "core/job/json_text.h"

namespace muster {
namespace {

using Object = JsonObject;

std::string scheme_of(SecretSource::Kind kind) {
  switch (kind) {
    case SecretSource::Kind::env: return "env:";
    case SecretSource::Kind::file: return "file:";
    case SecretSource::Kind::cmd: return "cmd:";
    case SecretSource::Kind::manifest: return "manifest:";
  }
  return "";
}

std::string to_json(const EnvValue& value) {
  if (!value.secret) return json_quoted(value.literal);
  const SecretSource& secret = *value.secret;
  return Object()
      .text("from", scheme_of(secret.kind) + secret.where)
      .raw("optional", secret.optional ? "true" : "false")
      .done();
}

std::string to_json(const std::map<std::string, EnvValue>& env) {
  Object object;
  for (const auto& [name, value] : env) object.raw(name, to_json(value));
  return object.done();
}

std::string to_json(const std::vector<FailureRule>& rules) {
  std::vector<std::string> texts;
  for (const FailureRule& rule : rules) texts.push_back(to_string(rule));
  return json_list(texts);
}

std::string to_json(const WorkerNeeds& needs) {
  return Object().count("gpus", needs.gpus).number("cpus", needs.cpus).size("memory", needs.memory_bytes).done();
}

std::string nodes_of(const GroupSpec& group) {
  const std::string low = std::to_string(group.min_nodes);
  return group.min_nodes == group.max_nodes ? low : low + ".." + std::to_string(group.max_nodes);
}

std::string to_json(const GroupSpec& group) {
  Object object;
  object.text("name", group.name)
      .text("nodes", nodes_of(group))
      .count("workers", group.workers)
      .raw("worker", to_json(group.worker))
      .raw("command", json_list(group.command))
      .raw("env", to_json(group.env))
      .text("success", to_string(group.success));
  if (!group.label.empty()) object.text("label", group.label);
  if (!group.in_image.empty()) object.text("in_image", group.in_image);
  if (group.kubernetes != GroupPods()) object.raw("kubernetes", group_pods_json(group.kubernetes));
  return object.done();
}

std::string to_json(const std::vector<GroupSpec>& groups) {
  std::string list = "[";
  for (const GroupSpec& group : groups) list += (list.size() > 1 ? "," : "") + to_json(group);
  return list + "]";
}

std::string to_json(const RestartSpec& restarts) {
  const std::string then = format_duration(restarts.min_backoff) + ".." + format_duration(restarts.max_backoff);
  return Object()
      .text("mode", to_string(restarts.mode))
      .number("limit", restarts.limit)
      .text("window", format_duration(restarts.window))
      .number("crash_loop", restarts.crash_loop)
      .raw("backoff", Object().time("first", restarts.first_backoff).text("then", then).done())
      .time("grace", restarts.grace)
      .raw("never_on", to_json(restarts.never_on))
      .raw("always_on", to_json(restarts.always_on))
      .done();
}

std::string to_json(const std::vector<std::vector<std::string>>& commands) {
  std::string list = "[";
  for (const auto& command : commands) list += (list.size() > 1 ? "," : "") + json_list(command);
  return list + "]";
}

std::string to_json(const WarmSpec& warm) {
  if (warm.mode == WarmSpec::Mode::modules) return json_list(warm.modules);
  return warm.mode == WarmSpec::Mode::off ? "\"off\"" : "\"auto\"";
}

std::string to_json(const TorchSpec& torch) {
  return Object()
      .text("run_id", torch.run_id)
      .text("role", torch.role)
      .raw("virtual_local_rank", torch.virtual_local_rank ? "true" : "false")
      .raw("macros", torch.macros ? "true" : "false")
      .text("local_rank", to_string(torch.local_rank))
      .text("numa_binding", to_string(torch.numa_binding))
      .done();
}

std::string to_json(const HangSpec& hangs) {
  return Object()
      .text("action", to_string(hangs.action))
      .time("after", hangs.after)
      .raw("even_without_steps", hangs.even_without_steps ? "true" : "false")
      .done();
}

std::string to_json(const TimeoutSpec& timeouts) {
  return Object()
      .time("queue", timeouts.queue)
      .time("start", timeouts.start)
      .time("setup", timeouts.setup)
      .time("run", timeouts.run)
      .time("stop", timeouts.stop)
      .time("leftovers", timeouts.leftovers)
      .done();
}

// The short form, a text, if there is only an image.
std::string to_json(const InImageSpec& in_image) {
  if (in_image == InImageSpec{in_image.image}) return json_quoted(in_image.image);
  Object object;
  object.text("image", in_image.image).text("program", to_string(in_image.program));
  if (!in_image.mounts.empty()) object.raw("mounts", json_list(in_image.mounts));
  if (!in_image.files.empty()) object.raw("files", json_map(in_image.files));
  return object.done();
}

// A word if the host has only name and slots, so that lists of thousands of hosts stay small.
std::string to_json(const HostSpec& host) {
  if (host == HostSpec{host.name, host.slots}) return json_quoted(host_word(host.name, host.slots));
  Object object;
  object.text("name", host_word(host.name, host.slots));
  if (!host.address.empty()) object.text("address", host.address);
  if (!host.env.empty()) object.raw("env", json_map(host.env));
  if (!host.scratch.empty()) object.text("scratch", host.scratch);
  if (!host.label.empty()) object.text("label", host.label);
  if (host.weight != HostSpec().weight) object.number("weight", host.weight);
  return object.done();
}

std::string to_json(const std::vector<HostSpec>& hosts) {
  std::string list = "[";
  for (const HostSpec& host : hosts) list += (list.size() > 1 ? "," : "") + to_json(host);
  return list + "]";
}

// The short form, a text, if `sync` has its defaults.
std::string workdir_json(const JobSpec& spec) {
  if (spec.sync == SyncSpec()) return json_quoted(spec.workdir);
  return Object()
      .text("path", spec.workdir)
      .raw("sync", spec.sync.sync ? "true" : "false")
      .size("max", spec.sync.max_bytes)
      .done();
}

}  // namespace

std::string spec_to_json(const JobSpec& spec) {
  Object object;
  object.number("version", spec.version)
      .text("name", spec.name)
      .text("framework", to_string(spec.framework))
      .text("world", to_string(spec.world))
      .raw("groups", to_json(spec.groups))
      .raw("workdir", workdir_json(spec))
      .raw("env", to_json(spec.env))
      .raw("labels", json_map(spec.labels))
      .raw("restarts", to_json(spec.restarts))
      .raw("timeouts", to_json(spec.timeouts))
      .raw("hangs", to_json(spec.hangs))
      .text("leftovers", to_string(spec.leftovers))
      .raw("logs", Object().size("max", spec.logs.max_bytes).done())
      .text("store", to_string(spec.store));
  if (!spec.outputs.empty()) object.raw("outputs", json_list(spec.outputs));
  if (!spec.setup.empty()) object.raw("setup", to_json(spec.setup));
  if (spec.in_image != InImageSpec()) object.raw("in_image", to_json(spec.in_image));
  if (!spec.python.venv.empty()) object.raw("python", Object().text("venv", spec.python.venv).done());
  if (spec.warm.mode != WarmSpec::Mode::usual) object.raw("warm", to_json(spec.warm));
  object.raw("torch", to_json(spec.torch)).raw("custom", json_map(spec.custom));
  if (!spec.service.empty()) object.raw("service", json_list(spec.service));
  object.text("backend", to_string(spec.backend));
  if (!spec.hosts.empty()) object.raw("hosts", to_json(spec.hosts));
  if (spec.placement != Placement::block) object.text("placement", to_string(spec.placement));
  if (spec.kubernetes != KubernetesSpec()) object.raw("kubernetes", kubernetes_json(spec.kubernetes));
  if (spec.priority != 0) object.raw("priority", std::to_string(spec.priority));
  if (spec.hold) object.raw("hold", "true");
  if (spec.busy_gpus != BusyGpus::wait) object.text("busy_gpus", to_string(spec.busy_gpus));
  if (spec.tty_rank) object.number("tty", *spec.tty_rank);
  return object.done();
}

}  // namespace muster
