// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/json.h"

#include <array>
#include <nlohmann/json.hpp>

#include "core/client/view/attempts_view.h"
#include "core/client/view/document.h"
#include "core/client/view/time_spent.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

void put_time(Json& object, const char* key, TimePoint time) {
  if (time != TimePoint()) object[key] = format_utc(time);
}

void put_text(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

Json exit_of(const ExitStatus& exit, const std::string& sentence) {
  Json object{{"success", exit.success()}, {"sentence", sentence}};
  if (exit.kind == ExitStatus::Kind::exited) object["code"] = exit.code;
  if (exit.kind == ExitStatus::Kind::signalled) object["signal"] = exit.signal;
  if (exit.oom) object["oom"] = true;
  put_text(object, "detail", exit.detail);
  const bool traceback = exit.trace.find("(most recent call ") != std::string::npos;
  put_text(object, traceback ? "traceback" : "details", exit.trace);
  put_text(object, "core_file", exit.core_file);
  if (exit.peak_bytes > 0) object["memory_bytes"] = exit.peak_bytes;
  return object;
}

// JSON has no NaN and no infinity: such a metric becomes null.
Json progress_of(const Progress& progress) {
  Json object{{"step", progress.step}};
  if (progress.total > 0) object["total"] = progress.total;
  object["metrics"] = progress.metrics;
  return object;
}

Json progress_of(const JobProgress& job) {
  Json object = progress_of(job.progress);
  if (job.per_step > Duration(0)) object["seconds_per_step"] = static_cast<double>(job.per_step.count()) / 1e9;
  if (job.remaining > Duration(0)) object["eta_seconds"] = static_cast<double>(job.remaining.count()) / 1e9;
  return object;
}

Json finding_of(const RankFinding& finding) {
  static constexpr std::array<const char*, 3> kNames = {"stopped", "in I/O", "stuck in I/O"};
  Json object{{"kind", kNames[static_cast<size_t>(finding.kind)]}};
  put_time(object, "since", finding.since);
  return object;
}

Json rank_of(const JobView& job, const RankView& rank) {
  Json object{{"index", rank.index},
              {"group", rank.group},
              {"rank", rank.rank},
              {"name", rank.name},
              {"node", rank.node},
              {"host", rank.host},
              {"phase", to_string(rank.phase)}};
  if (rank.pid > 0) object["pid"] = rank.pid;
  if (rank.exit) object["exit"] = exit_of(*rank.exit, end_of_rank(job, rank));
  if (rank.progress) object["progress"] = progress_of(*rank.progress);
  if (rank.finding) object["finding"] = finding_of(*rank.finding);
  if (rank.standing) {
    object["standing"] = {{"place", rank.standing->place}, {"stack", rank.standing->stack}};
    put_text(object["standing"], "exception", rank.standing->exception);
  }
  if (rank.pace > 0) object["pace"] = rank.pace;
  if (rank.use) {
    object["cpu_percent"] = static_cast<double>(rank.use->cpu_permille) / 10;
    object["memory_bytes"] = rank.use->memory_bytes;
  }
  object["gpus"] = rank.gpus;
  object["cpus"] = rank.cpus;
  put_time(object, "started", rank.started);
  put_time(object, "ended", rank.ended);
  return object;
}

Json attempt_of(const AttemptView& attempt) {
  Json object{{"attempt", attempt.attempt}};
  put_text(object, "group", attempt.group);
  put_time(object, "placed", attempt.placed);
  put_time(object, "preparing", attempt.preparing);
  put_time(object, "prepared", attempt.prepared);
  put_time(object, "importing", attempt.importing);
  put_time(object, "running", attempt.running);
  put_time(object, "working", attempt.working);
  put_time(object, "stopping", attempt.stopping);
  put_time(object, "ended", attempt.ended);
  put_text(object, "cause", attempt.cause);
  if (attempt.culprit) {
    object["culprit"] = *attempt.culprit;
    if (!attempt.culprit_exit.success())
      object["exit"] = exit_of(attempt.culprit_exit, describe_exit(attempt.culprit_exit));  // none after a hang
  }
  put_text(object, "stack", attempt.stack);
  if (!attempt.consequences.empty()) object["consequences"] = attempt.consequences;
  return object;
}

Json parsed(const std::string& text) { return Json::parse(text, nullptr, false); }

Json job_of(const JobView& job, TimePoint now) {
  Json object{{"id", job.id.text()},
              {"name", job.name},
              {"state", job.state},
              {"done", job.done},
              {"sentence", job.sentence},
              {"framework", job.framework},
              {"backend", job.backend},
              {"workdir", job.workdir},
              {"attempt", job.attempt},
              {"restarts", job.restarts},
              {"restart_limit", job.restart_limit},
              {"nodes", job.nodes}};
  put_text(object, "waits_for", job.waits_for);
  put_text(object, "held_by", job.held_by);
  if (job.priority != 0) object["priority"] = job.priority;
  if (job.queue_place > 0) object["queue_place"] = job.queue_place;
  put_text(object, "origin", job.origin);
  put_text(object, "code_commit", job.code_commit);
  object["labels"] = job.labels;
  put_time(object, "submitted", job.submitted);
  put_time(object, "started", job.started);
  put_time(object, "ended", job.ended);
  if (job.done) object["exit_code"] = job.exit_code;
  if (job.progress) object["progress"] = progress_of(*job.progress);
  if (!job.hang.empty()) object["hang"] = {{"sentence", job.hang}, {"stack", job.hang_stack}};
  object["ranks"] = Json::array();
  for (const RankView& rank : job.ranks) object["ranks"].push_back(rank_of(job, rank));
  if (!job.troubles.empty()) object["troubles"] = job.troubles;
  if (!job.asking_hosts.empty()) object["asking_hosts"] = job.asking_hosts;
  object["attempts"] = Json::array();
  for (const AttemptView& attempt : job.attempts) object["attempts"].push_back(attempt_of(attempt));
  for (const auto& [phase, time] : time_spent(job, now))
    object["spent"][to_string(phase)] = std::chrono::duration<double>(time).count();
  if (Json spec = parsed(job.spec_json); spec.is_object()) object["spec"] = std::move(spec);
  return object;
}

Json list_of(const std::vector<JobView>& jobs, TimePoint now) {
  Json list = Json::array();
  for (const JobView& job : jobs) list.push_back(job_of(job, now));
  return list;
}

// One line of a stream of several kinds; "type" repeats the kind.
std::string line_of(const char* type, const Json& object) {
  Json typed{{"type", type}};
  typed.update(object);
  return document_of(type, typed);
}

}  // namespace

std::string job_json(const JobView& job, TimePoint now) { return document_of("job", job_of(job, now)); }

std::string with_member(std::string object, const std::string& name, const std::string& json) {
  object.insert(object.size() - 1, ",\"" + name + "\":" + json);
  return object;
}

std::string jobs_json(const std::vector<JobView>& jobs, TimePoint now) {
  return document_of("jobs", Json{{"jobs", list_of(jobs, now)}});
}

std::string jobs_json(const std::vector<JobView>& jobs, TimePoint now, const LeftOut& left_out) {
  Json list{{"jobs", list_of(jobs, now)}, {"all", left_out.all}};
  if (left_out.more) list["more"] = true;
  return document_of("jobs", list);
}

std::string idle_agents_json(const std::vector<IdleAgent>& agents) {
  Json list = Json::array();
  for (const IdleAgent& agent : agents)
    list.push_back({{"pid", agent.pid},
                    {"warm", agent.warm},
                    {"since", format_utc(agent.since)},
                    {"memory_bytes", agent.memory_bytes}});
  return document_of("agents", Json{{"agents", list}});
}

std::string event_json(const JobEvent& event) {
  Json object{{"sequence", event.sequence}, {"time", format_utc(event.time)}, {"kind", event.kind},
              {"state", event.state},       {"attempt", event.attempt},       {"sentence", event.sentence}};
  return line_of("event", object);
}

std::string output_json(const OutputChunk& chunk) {
  const OutputPosition& at = chunk.position;
  Json object{{"attempt", at.attempt},
              {"index", at.index},
              {"stream", std::string(ending_of(at.stream)).substr(1)},
              {"offset", at.offset}};
  put_time(object, "time", chunk.time);
  object["text"] = chunk.bytes;
  return line_of("output", object);
}

std::string remark_json(const std::string& sentence) { return line_of("remark", Json{{"sentence", sentence}}); }

std::string end_json(const JobView& job) { return line_of("job", job_of(job, job.ended)); }

std::string plan_json(const JobSpec& spec, const Plan& plan,
                      const std::vector<std::map<std::string, std::string>>& environments, const std::string& service) {
  Json nodes = Json::array();
  for (const PlannedNode& node : plan.nodes) {
    nodes.push_back(
        {{"node", node.node}, {"group", spec.groups[node.group].name}, {"host", node.host}, {"ranks", node.ranks}});
  }
  Json ranks = Json::array();
  for (size_t i = 0; i < plan.ranks.size(); ++i) {
    const PlannedRank& rank = plan.ranks[i];
    Json gpus = Json::array();
    for (const Gpu& gpu : rank.gpus) gpus.push_back(gpu.uuid);
    ranks.push_back({{"index", i},
                     {"name", rank_name(spec, rank)},
                     {"group", spec.groups[rank.group].name},
                     {"rank", rank.rank},
                     {"world_rank", rank.world_rank},
                     {"world_size", rank.world_size},
                     {"local_rank", rank.local_rank},
                     {"node", rank.node},
                     {"gpus", gpus},
                     {"cpus", bound_cpus(rank)},
                     {"environment", i < environments.size() ? Json(environments[i]) : Json::object()}});
  }
  Json document{{"name", spec.name},
                {"framework", std::string(to_string(spec.framework))},
                {"backend", std::string(to_string(spec.backend))},
                {"workdir", spec.workdir},
                {"nodes", nodes},
                {"ranks", ranks}};
  if (!spec.setup.empty()) document["setup"] = spec.setup;
  put_text(document, "venv", spec.python.venv);
  put_text(document, "service", service);
  return document_of("plan", document);
}

std::string version_json(const VersionFacts& facts) {
  Json object{
      {"version", facts.version}, {"commit", facts.commit}, {"compiler", facts.compiler}, {"build", facts.build}};
  if (!facts.controller_version.empty()) {
    object["controller"] = {{"version", facts.controller_version}, {"pid", facts.controller_pid}};
  }
  return document_of("version", object);
}

std::string pretty_json(std::string_view json) {
  const Json document = Json::parse(json, nullptr, false);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace muster
