// SPDX-License-Identifier: Apache-2.0
#include "core/journal/journal_codec.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/job/file/job_yaml.h"

namespace muster {

using Json = nlohmann::json;

// Clamped to 1970 … 2116, so that a damaged number does not overflow in subtractions.
static TimePoint time_of(const Json& j) {
  return from_unix_nanos(std::clamp<int64_t>(j.get<int64_t>(), 0, int64_t{1} << 62));
}
static int64_t place_of(const Json& j) {
  return std::clamp<int64_t>(j.get<int64_t>(), -(int64_t{1} << 62), int64_t{1} << 62);
}
static Duration grace_of(const Json& j) {
  return std::clamp<Duration>(Duration(j.get<int64_t>()), Duration(0), std::chrono::hours(24 * 366));
}

// In the namespace of their types, because nlohmann finds them by argument-dependent lookup.
static void to_json(Json& j, const ExitStatus& e) {
  j = {{"kind", static_cast<int>(e.kind)},
       {"code", e.code},
       {"signal", e.signal},
       {"oom", e.oom},
       {"core", e.core_dumped},
       {"detail", e.detail}};
  if (e.asked) j["asked"] = true;
  if (e.peak_bytes > 0) j["peak"] = e.peak_bytes;
  if (!e.core_file.empty()) j["core_file"] = e.core_file;
  if (!e.trace.empty()) j["trace"] = e.trace;
  if (e.service_failed) j["service_failed"] = true;
}
static void from_json(const Json& j, ExitStatus& e) {
  e = {static_cast<ExitStatus::Kind>(j.at("kind").get<int>()),
       j.at("code"),
       j.at("signal"),
       j.at("oom"),
       j.at("core"),
       j.at("detail"),
       j.value("asked", false),
       j.value("peak", uint64_t{0}),
       j.value("core_file", std::string()),
       j.value("trace", std::string()),
       j.value("service_failed", false)};
}
static void to_json(Json& j, const Gpu& g) {
  j = {{"index", g.index}, {"uuid", g.uuid}, {"name", g.name}, {"memory", g.memory_bytes}, {"numa", g.numa_node}};
}
static void from_json(const Json& j, Gpu& g) {
  g = {j.at("index"), j.at("uuid"), j.at("name"), j.at("memory"), j.at("numa")};
}
static void to_json(Json& j, const PlannedRank& r) {
  j = {{"group", r.group},
       {"rank", r.rank},
       {"world_rank", r.world_rank},
       {"world_size", r.world_size},
       {"local_rank", r.local_rank},
       {"local_size", r.local_size},
       {"node", r.node},
       {"group_node", r.group_node},
       {"group_nodes", r.group_nodes},
       {"gpus", r.gpus},
       {"cpus", r.cpus},
       {"memory", r.memory_bytes}};
  if (!r.near.empty()) j["near"] = r.near;
}
static void from_json(const Json& j, PlannedRank& r) {
  r = {j.at("group"),
       j.at("rank"),
       j.at("world_rank"),
       j.at("world_size"),
       j.at("local_rank"),
       j.at("local_size"),
       j.at("node"),
       j.at("group_node"),
       j.at("group_nodes"),
       j.at("gpus").get<std::vector<Gpu>>(),
       j.at("cpus").get<std::vector<uint32_t>>(),
       j.at("memory"),
       j.value("near", std::vector<uint32_t>())};
}
static void to_json(Json& j, const PlannedNode& n) {
  j = {{"node", n.node}, {"group", n.group}, {"host", n.host}, {"ranks", n.ranks}};
  if (!n.role.empty()) j["role"] = n.role;
}
static void from_json(const Json& j, PlannedNode& n) {
  n = {j.at("node"), j.at("group"), j.at("host"), j.at("ranks").get<std::vector<uint32_t>>(), j.value("role", "")};
}

namespace job {
// In a journal, the phases that a node can report are numbered from `starting`.
static constexpr int kFirstFact = static_cast<int>(RankPhase::starting);

static void to_json(Json& j, const RankFact& f) {
  j = {{"index", f.index}, {"phase", static_cast<int>(f.phase) - kFirstFact}};
  if (f.phase == RankPhase::exited) j.update({{"exit", f.exit}, {"ended", to_unix_nanos(f.ended)}});
}
static void from_json(const Json& j, RankFact& f) {
  f.index = j.at("index");
  f.phase = static_cast<RankPhase>(j.at("phase").get<int>() + kFirstFact);
  if (j.contains("exit")) f.exit = j.at("exit").get<ExitStatus>();
  if (j.contains("ended")) f.ended = time_of(j.at("ended"));
}
}  // namespace job

namespace {

Json plan_json(const Plan& plan) {
  Json j = {{"nodes", plan.nodes}, {"ranks", plan.ranks}};
  if (const auto& g = plan.membership)
    j["membership"] = {{"least", g->least}, {"most", g->most}, {"last_call", g->last_call.count()}};
  return j;
}
Plan plan_of(const Json& j) {
  Plan plan{j.at("nodes").get<std::vector<PlannedNode>>(), j.at("ranks").get<std::vector<PlannedRank>>(), std::nullopt};
  if (!j.contains("membership")) return plan;
  const Json& g = j.at("membership");
  plan.membership = ElasticMembership{g.at("least"), g.at("most"), grace_of(g.at("last_call"))};
  return plan;
}

Json body(const Submission& s) {
  Json entry = {{"id", s.id.text()},
                {"name", s.name},
                {"spec", spec_to_json(s.spec)},
                {"plan", plan_json(s.plan)},
                {"seed", s.seed},
                {"origin", s.origin},
                {"commit", s.code_commit},
                {"submit_key", s.submit_key},
                {"standalone", s.standalone},
                {"copy", s.copy}};
  if (!s.code_hash.empty()) entry["code"] = s.code_hash;
  if (!s.manifest.empty()) entry["manifest"] = s.manifest;
  if (!s.hosts.empty()) entry["hosts"] = hosts_to_json(s.hosts);
  return entry;
}
Json endpoints_json(const SharedVector<Endpoint>& endpoints) {
  Json list = Json::array();
  for (const auto& e : endpoints) list.push_back({{"address", e.address}, {"port", e.port}});
  return list;
}
Json body(const AttemptEndpoints& a) {
  Json entry = {{"attempt", a.attempt}, {"endpoints", endpoints_json(a.endpoints)}};
  if (!a.fronts.empty()) entry["fronts"] = endpoints_json(a.fronts);
  for (const PortsByOwner& ports : a.ports) entry["ports"].push_back(ports);
  return entry;
}
Json body(const Replanned& r) { return {{"plan", plan_json(r.plan)}}; }
Json body(const CodeNoted& c) { return {{"commit", c.commit}}; }
Json body(const Remark& r) { return {{"sentence", r.sentence}, {"trouble", r.trouble}}; }
Json body(const ProgressMade& p) {
  return {{"attempt", p.attempt},
          {"step", p.progress.progress.step},
          {"total", p.progress.progress.total},
          {"metrics", p.progress.progress.metrics},
          {"per_step", p.progress.per_step.count()}};
}
Json body(const Working& w) {
  Json j{{"attempt", w.attempt}, {"gang", w.gang}, {"since", to_unix_nanos(w.since)}};
  if (w.importing != TimePoint()) j["importing"] = to_unix_nanos(w.importing);
  return j;
}
Json body(const Arranged& a) {
  return {
      {"priority", a.place.priority}, {"place", a.place.place}, {"held_by", a.place.held_by}, {"sentence", a.sentence}};
}
Json body(const UnknownEntry&) { return Json::object(); }
Json body(const job::Admitted&) { return Json::object(); }
Json body(const job::NodeUp& e) {
  Json body{{"node", e.node}, {"incarnation", e.incarnation}, {"token", e.token}};
  if (!e.host.empty()) body["host"] = e.host;
  if (e.ranks > 0) body["ranks"] = e.ranks;
  if (!e.role.empty()) body["role"] = e.role;
  if (e.code_took != Duration(0)) body["code_took"] = e.code_took.count();
  return body;
}
Json body(const job::PlaceFailed& e) { return {{"node", e.node}, {"reason", e.reason}}; }
Json body(const job::NodeLost& e) { return {{"node", e.node}, {"reason", e.reason}, {"taken", e.taken}}; }
Json body(const job::LinkDown& e) { return {{"node", e.node}}; }
Json body(const job::Reported& e) {
  Json body{
      {"node", e.node}, {"incarnation", e.incarnation}, {"attempt", e.attempt}, {"quiet", e.quiet}, {"ranks", e.ranks}};
  if (e.prepared) body["prepared"] = true;
  if (!e.unprepared.empty()) body["unprepared"] = e.unprepared;
  if (e.taken) body["taken"] = true;
  if (!e.devices.empty()) body["devices"] = e.devices;
  if (!e.service_failure.empty()) body["service_failure"] = e.service_failure;
  return body;
}
Json body(const job::TimerFired& e) { return {{"timer", std::string(job::to_string(e.timer))}}; }
Json body(const job::StopAsked& e) {
  Json body{{"grace", e.grace.count()}, {"why", e.why}};
  if (e.signal != SIGTERM) body["signal"] = e.signal;
  if (e.node) body["node"] = *e.node;
  return body;
}
Json body(const job::Judged& e) {
  Json body{{"attempt", e.attempt},
            {"hang", std::string(job::to_string(e.kind))},
            {"since", to_unix_nanos(e.since)},
            {"where", e.where},
            {"stack", e.stack}};
  if (e.rank) body["rank"] = *e.rank;
  if (e.gang > 0) body["gang"] = e.gang;
  return body;
}
Json body(const job::Event& event) {
  return std::visit([](const auto& each) { return body(each); }, event);
}

std::string kind(const Submission&) { return "submitted"; }
std::string kind(const AttemptEndpoints&) { return "endpoints"; }
std::string kind(const Replanned&) { return "planned"; }
std::string kind(const Arranged&) { return "arranged"; }
std::string kind(const Remark&) { return "remark"; }
std::string kind(const CodeNoted&) { return "code"; }
std::string kind(const ProgressMade&) { return "progress"; }
std::string kind(const Working&) { return "working"; }
std::string kind(const UnknownEntry& e) { return e.kind; }
std::string kind(const job::Admitted&) { return "admitted"; }
std::string kind(const job::NodeUp&) { return "node-up"; }
std::string kind(const job::PlaceFailed&) { return "place-failed"; }
std::string kind(const job::NodeLost&) { return "node-lost"; }
std::string kind(const job::LinkDown&) { return "link-down"; }
std::string kind(const job::Reported&) { return "reported"; }
std::string kind(const job::TimerFired&) { return "timer"; }
std::string kind(const job::StopAsked&) { return "stop"; }
std::string kind(const job::Judged&) { return "judged"; }
std::string kind(const job::Event& event) {
  return std::visit([](const auto& each) { return kind(each); }, event);
}

job::Timer timer_of(const std::string& name) {
  using enum job::Timer;
  for (const job::Timer timer : {queue, start, run, backoff, stop, last_call, unreachable, setup}) {
    if (job::to_string(timer) == name) return timer;
  }
  throw std::invalid_argument("unknown timer " + name);
}

job::HangKind hang_of(const std::string& name) {
  using job::HangKind;
  for (const HangKind kind :
       {HangKind::none, HangKind::stopped, HangKind::stuck, HangKind::waiting, HangKind::quiet, HangKind::hung}) {
    if (job::to_string(kind) == name) return kind;
  }
  throw std::invalid_argument("unknown kind of hang " + name);
}

job::Judged judged_of(const Json& j) {
  job::Judged judged{j.at("attempt"),        std::nullopt,  hang_of(j.at("hang")),
                     time_of(j.at("since")), j.at("where"), j.at("stack")};
  if (j.contains("rank")) judged.rank = j.at("rank").get<uint32_t>();
  judged.gang = j.value("gang", uint32_t{0});
  return judged;
}

// Checks that all references of a plan exist, because its users index without checks.
void check_plan(const Plan& plan, size_t groups) {
  bool sound = true;
  for (const PlannedRank& rank : plan.ranks) sound &= rank.group < groups && rank.node < plan.nodes.size();
  for (const PlannedNode& node : plan.nodes) {
    sound &= node.group < groups && node.node < plan.nodes.size();
    for (const uint32_t index : node.ranks) sound &= index < plan.ranks.size();
  }
  if (!sound) throw std::invalid_argument("the plan does not fit the job");
}

Submission submission_of(const Json& j) {
  Submission s;
  if (const Result<JobId> id = JobId::parse(j.at("id").get<std::string>()); id.ok()) s.id = *id;
  s.name = j.at("name");
  s.spec = parse_job_json(j.at("spec").get<std::string>(), "journal").spec;
  s.plan = plan_of(j.at("plan"));
  check_plan(s.plan, s.spec.groups.size());
  s.seed = j.at("seed");
  s.origin = j.at("origin");
  s.code_commit = j.at("commit");
  s.submit_key = j.at("submit_key");
  s.standalone = j.at("standalone");
  s.copy = j.value("copy", false);
  s.code_hash = j.value("code", std::string());
  s.manifest = j.value("manifest", std::string());
  if (auto hosts = hosts_from_json(j.value("hosts", std::string())); hosts.ok()) s.hosts = std::move(*hosts);
  return s;
}

SharedVector<Endpoint> endpoint_list(const Json& j) {
  SharedVector<Endpoint> list;
  for (const Json& e : j) list.push_back({e.at("address"), e.at("port")});
  return list;
}

AttemptEndpoints endpoints_of(const Json& j) {
  AttemptEndpoints a{j.at("attempt"), endpoint_list(j.at("endpoints")), {}, {}};
  if (j.contains("fronts")) a.fronts = endpoint_list(j.at("fronts"));
  for (const Json& ports : j.value("ports", Json::array())) a.ports.push_back(ports.get<PortsByOwner>());
  return a;
}

job::Reported report_of(const Json& j) {
  return {j.at("node"),
          j.at("incarnation"),
          j.at("attempt"),
          j.at("quiet"),
          j.at("ranks").get<std::vector<job::RankFact>>(),
          j.value("prepared", false),
          j.value("unprepared", std::string()),
          j.value("taken", false),
          j.value("devices", std::string()),
          j.value("service_failure", std::string())};
}

job::NodeUp node_up_of(const Json& j) {
  constexpr uint32_t kMostRanks = 65536;  // of one host; limits the memory that a damaged number could take
  return {j.at("node"),
          j.at("incarnation"),
          j.at("token"),
          j.value("host", ""),
          std::min(j.value("ranks", uint32_t{0}), kMostRanks),
          Duration(j.value("code_took", int64_t{0})),
          j.value("role", "")};
}

job::StopAsked stop_of(const Json& j) {
  job::StopAsked asked{grace_of(j.at("grace")), j.at("why"), j.value("signal", SIGTERM), std::nullopt};
  if (j.contains("node")) asked.node = j.at("node").get<NodeIndex>();
  return asked;
}

// A metric that is not a number (NaN) is null in JSON.
ProgressMade progress_of(const Json& j) {
  ProgressMade made{j.at("attempt"),
                    {{j.at("step"), j.at("total"), {}}, Duration(j.at("per_step").get<int64_t>()), {}}};
  for (const auto& [name, value] : j.at("metrics").items())
    made.progress.progress.metrics[name] = value.is_number() ? value.get<double>() : std::nan("");
  return made;
}

Working working_of(const Json& j) {
  Working working{j.at("attempt"), j.at("gang"), time_of(j.at("since")), {}};
  if (j.contains("importing")) working.importing = time_of(j.at("importing"));
  return working;
}

JournalEntry entry_of(const std::string& kind, const Json& j) {
  if (kind == "submitted") return submission_of(j);
  if (kind == "endpoints") return endpoints_of(j);
  if (kind == "planned") return Replanned{plan_of(j.at("plan"))};
  if (kind == "arranged")
    return Arranged{{j.at("priority"), place_of(j.at("place")), j.at("held_by")}, j.at("sentence")};
  if (kind == "code") return CodeNoted{j.at("commit")};
  if (kind == "remark") return Remark{j.at("sentence"), j.value("trouble", false)};
  if (kind == "progress") return progress_of(j);
  if (kind == "working") return working_of(j);
  if (kind == "admitted") return job::Event(job::Admitted{});
  if (kind == "node-up") return job::Event(node_up_of(j));
  if (kind == "place-failed") return job::Event(job::PlaceFailed{j.at("node"), j.at("reason")});
  if (kind == "node-lost") return job::Event(job::NodeLost{j.at("node"), j.at("reason"), j.value("taken", false)});
  if (kind == "link-down") return job::Event(job::LinkDown{j.at("node")});
  if (kind == "reported") return job::Event(report_of(j));
  if (kind == "timer") return job::Event(job::TimerFired{timer_of(j.at("timer"))});
  if (kind == "stop") return job::Event(stop_of(j));
  if (kind == "judged") return job::Event(judged_of(j));
  return UnknownEntry{kind};
}

}  // namespace

std::string kind_of(const JournalEntry& entry) {
  return std::visit([](const auto& each) { return kind(each); }, entry);
}

std::string mark_of(const JournalEntry& entry) { return R"("k":")" + kind_of(entry) + '"'; }

std::string encode_line(const JournalLine& line) {
  Json object = std::visit([](const auto& each) { return body(each); }, line.entry);
  object["t"] = to_unix_nanos(line.time);
  object["k"] = kind_of(line.entry);
  // Sentences may contain output of programs: invalid UTF-8 is replaced, not refused.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<JournalLine> decode_line(std::string_view text) {
  try {
    const Json object = Json::parse(text);
    return JournalLine{time_of(object.at("t")), entry_of(object.at("k"), object)};
  } catch (const std::exception& error) {
    return Status(Code::data_loss, std::string("a journal line cannot be read: ") + error.what());
  }
}

}  // namespace muster
