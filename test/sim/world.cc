// SPDX-License-Identifier: Apache-2.0
#include "test/sim/world.h"

#include "core/job/file/job_yaml.h"

namespace muster::sim {
namespace {

constexpr size_t kLongestTrace = 20'000;

Inventory machine_of(uint32_t gpus) {
  Inventory machine;
  machine.host = "here";
  for (uint32_t i = 0; i < gpus; ++i) machine.gpus.push_back({i, "GPU-" + std::to_string(i), "sim", 1 << 30, -1});
  for (uint32_t i = 0; i < 64; ++i) machine.cpus.push_back(i);
  return machine;
}

std::deque<SimHost> hosts_of(SimLoop& loop, uint32_t count) {
  std::deque<SimHost> hosts;
  hosts.emplace_back(loop, "here");
  for (uint32_t i = 1; i <= count; ++i) hosts.emplace_back(loop, "host-" + std::to_string(i));
  return hosts;
}

}  // namespace

JobSpec job_spec(const std::string& name, uint32_t nodes, uint32_t workers, uint32_t limit) {
  JobSpec spec;
  spec.name = name;
  spec.workdir = "/home/user";
  spec.groups.resize(1);
  spec.groups[0].min_nodes = spec.groups[0].max_nodes = nodes;
  spec.groups[0].workers = {false, workers};
  spec.groups[0].worker.gpus = {false, 1};
  spec.groups[0].command = {"train"};
  spec.restarts.limit = limit;
  return spec;
}

World::World(WorldOptions options)
    : hosts(hosts_of(loop, options.hosts)),
      leases(hosts[0].leases),
      network(loop, options.seed),
      agents({loop, processes, network, output, keeper, log, options.shares_files, options.pods, options.patience},
             options.seed + 1, [this](int64_t guardian, const std::string& how) { agent_ended(guardian, how); }),
      options_(options),
      random_(options.seed + 2) {
  if (!options.fixed_hosts) invariants_.ignore_sleeping_hosts();
  loop.after_turn([this] { end_of_turn(); });
  store.on_append([this](std::string_view line) { line_written(line); });
  processes.watch([this](const std::string& what, ProcessHandle handle, const SimProcesses::Process& process) {
    note(what + " " + process.launch.job + " attempt " + std::to_string(process.launch.attempt) + " rank " +
         std::to_string(process.launch.index) + " on " + process.host->name);
    if (process_watcher_) process_watcher_(what, handle, process);
  });
  start_controller();
}

World::~World() {
  controller_.reset();
  loop.clear();
}

void World::start_controller() {
  if (hosts[0].clock.asleep() || controller_) return;
  note("controller starts");
  left_ = false;
  ControllerSelf self;
  self.linger = options_.linger;
  self.answers_at_once = options_.answers_at_once;
  self.idle = options_.idle;
  self.seed = random_.next();
  controller_loop_ = hosts[0].process(loop, HostLoop::Counts::monotonic, "controller");
  session_ = std::make_unique<SimStoreSession>(store, ++controllers_, controller_loop_);
  backend_ = std::make_unique<FakeBackend>(*controller_loop_, machine_of(options_.gpus), hands(),
                                           Capabilities{.shares_filesystem = options_.shares_files,
                                                        .fixed_hosts = options_.fixed_hosts,
                                                        .takes_nodes = options_.pods});
  controller_ = std::make_unique<Controller>(
      ControllerPorts{*controller_loop_, Backends(backend_->parts()), *session_, output, keeper, log}, self, [this] {
        left_ = true;
        crash_controller();
      });
  network.open(controller_loop_, [this](ArrivedAgent agent) {
    if (controller_->hosts(agent.hello)) return controller_->agent_returned(std::move(agent));
    backend_->agent_arrived(std::move(agent));
  });
  controller_->recover();
}

void World::crash_controller() {
  if (!has_controller()) return;
  note("controller ends");
  dying_ = true;
  backend_->freeze();
  session_->die();
  controller_loop_->die();
  to_kill_.clear();
  network.close();
  loop.post([this] { destroy_controller(); });
}

void World::destroy_controller() {
  controller_.reset();
  backend_.reset();
  session_.reset();
  dying_ = false;
}

void World::lose_controller_host() {
  crash_controller();
  loop.run_until([this] { return controller_ == nullptr; }, Duration(0));
  store.lose_unsynced(random_);
}

void World::cut_controller_power() {
  network.vanish();
  crash_controller();
  store.lose_unsynced(random_);
}

void World::crash_at_line(uint64_t line, Moment moment) {
  lines_to_crash_ = line;
  crash_moment_ = moment;
}

void World::line_written(std::string_view line) {
  note_line(line);
  if (lines_to_crash_ == 0 || --lines_to_crash_ > 0) return;
  if (crash_moment_ == Moment::before_acting) return crash_controller();
  crash_after_turn_ = true;
}

void World::end_of_turn() {
  if (std::exchange(crash_after_turn_, false)) crash_controller();
  invariants_.check(loop.now(), processes, store);
}

SubmitRequest World::request_of(const JobSpec& spec, const std::string& submit_key) const {
  SubmitRequest request;
  request.submit_key = submit_key;
  request.spec_json = spec_to_json(spec);
  request.environment = shell_environment;
  request.secrets = {{"TOKEN", "correct-horse"}};
  request.settings = shell_settings;
  if (spec.world == muster::World::shared) request.environment["SHARED_WORLD"] = "1";
  if (spec.restarts.mode == RestartMode::group) request.environment["GROUPS_APART"] = "1";
  return request;
}

Result<JobView> World::submit(const JobSpec& spec, const std::string& submit_key) {
  const SubmitRequest request = request_of(spec, submit_key);
  Result<JobView> answer = Status(Code::unavailable, "no answer");
  controller_->submit(request, [&](Result<JobView> view) { answer = std::move(view); });
  return answer;
}

JobView World::view(const std::string& job) {
  const Result<JobView> found =
      has_controller() ? controller_->describe(job) : Result<JobView>(Status(Code::unavailable, "none"));
  return found.ok() ? *found : JobView{};
}

Result<JobFold> World::fold_from_journal(const JobId& job) const {
  const Result<std::vector<std::string>> lines = store.read(job);
  return lines.ok() ? JobFold::replay(*lines) : Result<JobFold>(lines.status());
}

JobView World::view_from_journal(const JobId& job) const {
  const Result<JobFold> fold = fold_from_journal(job);
  return fold.ok() ? fold->view() : JobView{};
}

uint32_t World::counted_restarts(const JobId& job) const {
  const Result<JobFold> fold = fold_from_journal(job);
  return fold.ok() ? fold->state().restarts : 0;
}

// A view costs more than a turn, so it is checked only when a journal has grown.
bool World::run_until_view(const std::string& job, const std::function<bool(const JobView&)>& holds, Duration limit) {
  uint64_t seen = UINT64_MAX;
  return loop.run_until(
      [&] {
        const uint64_t changes = store.appends() + store.failures();
        return std::exchange(seen, changes) != changes && holds(view(job));
      },
      limit);
}

bool World::run_until_done(const std::string& job, Duration limit) {
  return run_until_view(
      job, [](const JobView& view) { return view.done; }, limit);
}

bool World::run_until_state(const std::string& job, const std::string& state, Duration limit) {
  return run_until_view(
      job, [&](const JobView& view) { return view.state == state; }, limit);
}

void World::note(const std::string& what) {
  const std::string line = std::to_string(to_unix_nanos(loop.now())) + " " + what;
  hash(line);
  if (options_.keep_trace && trace_.size() < kLongestTrace) trace_.push_back(line);
  if (noted_) noted_(what);
}

// Only for the hash: the machine reports its own steps.
void World::note_line(std::string_view line) {
  hash(std::to_string(to_unix_nanos(loop.now())));
  hash(line);
  if (options_.keep_trace && trace_.size() < kLongestTrace) trace_.emplace_back(line);
}

void World::hash(std::string_view text) {
  for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
}

void World::check(const watch::JobStep& step) {
  invariants_.check(loop.now(), step);
  for (const NodeIndex node : step.left) invariants_.ignore_node(name_of(step.seed), node);
}

std::string World::name_of(uint64_t seed) const {
  for (const JobRecord& record : store.list()) {
    const Result<std::vector<std::string>> lines = store.read(record.id);
    const Result<JournalLine> first =
        lines.ok() && !lines->empty() ? decode_line(lines->front()) : Result<JournalLine>(Status(Code::not_found, ""));
    const auto* submission = first.ok() ? std::get_if<Submission>(&first->entry) : nullptr;
    if (submission != nullptr && submission->seed == seed) return record.name;
  }
  return "";
}

}  // namespace muster::sim
