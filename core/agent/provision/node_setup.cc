// SPDX-License-Identifier: Apache-2.0
#include "core/agent/provision/node_setup.h"

#include <csignal>

#include "core/attempt/failure_message.h"
#include "core/base/text.h"
#include "core/port/output_messages.h"

namespace muster {
namespace {

constexpr Duration kSetupLookAgain = std::chrono::milliseconds(200);
// A finished setup that is unused for some months is removed. So its use is noted this often.
constexpr Duration kNoteUse = std::chrono::hours(24);
constexpr size_t kMostShown = 80;  // bytes of a command in a sentence

std::string shown(const std::vector<std::string>& command) {
  std::string words = escaped(join(command, " "));
  if (words.size() > kMostShown) words = words.substr(0, words.find(' ', kMostShown / 2)) + " …";
  return "`" + words + "`";
}

std::string absolute(const std::string& path, const SetupStart& start) {
  const auto home = start.environment.find("HOME");
  if (path == "~" || path.starts_with("~/"))
    return (home == start.environment.end() ? "" : home->second) + path.substr(1);
  return path.empty() || path.starts_with('/') ? path : start.workdir + "/" + path;
}

}  // namespace

void enter_venv(std::map<std::string, std::string>& environment, const std::string& venv) {
  if (venv.empty()) return;
  std::string& path = environment["PATH"];
  path = venv + "/bin" + (path.empty() ? "" : ":" + path);
  environment["VIRTUAL_ENV"] = venv;
  environment.erase("PYTHONHOME");
}

NodeSetup::NodeSetup(NodeSetupPorts ports, SetupTask task, SetupStart start, std::function<void()> changed)
    : ports_(ports),
      task_(std::move(task)),
      start_(std::move(start)),
      changed_(std::move(changed)),
      venv_(absolute(task_.venv, start_)) {}

NodeSetup::~NodeSetup() {
  *alive_ = false;
  ports_.loop.cancel(timer_);
}

void NodeSetup::start() {
  if (task_.commands.empty()) return finish();
  site_ = ports_.place.site(task_.identity, task_.commands, start_.workdir);
  attempt();
}

// If the user has removed the virtual environment that a setup made, the setup runs again.
void NodeSetup::attempt() {
  const bool whole = !start_.container && (venv_.empty() || !site_.copied_from.empty() || ports_.place.is_venv(venv_));
  if (whole && ports_.place.is_done(site_)) return finish();
  lock_ = ports_.place.lock(site_);
  waits_since_ = ports_.loop.now();
  if (lock_) return whole && ports_.place.is_done(site_) ? finish() : open_output();
  tell(SetupPhase::running, "waiting until the setup of another job or node there has ended");
  timer_ = ports_.loop.at(ports_.loop.now() + kSetupLookAgain, [this] { attempt(); });
}

// Without its output file the setup waits, for example until a full disk has room.
void NodeSetup::open_output() {
  const Status created = ports_.keeper.create(task_.output_path);
  if (created.ok()) {
    trouble_.clear();
    return begin();
  }
  const std::string limit = humane_duration(kOutputPatience);
  if (ports_.loop.now() - waits_since_ >= kOutputPatience) {
    trouble_.clear();
    return fail("its output could not be stored for " + limit + ": " + created.message());
  }
  if (trouble_.empty()) {
    trouble_ = std::string(kOutputWaits) + "files on " + task_.host + ": " + created.message() + ". After " + limit +
               " the setup fails";
    tell(SetupPhase::running, "waiting for its output file: " + created.message());
  }
  timer_ = ports_.loop.at(ports_.loop.now() + kSetupLookAgain, [this] { open_output(); });
}

void NodeSetup::begin() {
  if (const Status cleared = ports_.place.clear(site_); !cleared.ok()) return fail(cleared.message());
  left_.assign(task_.commands.rbegin(), task_.commands.rend());
  if (site_.copied_from.empty()) return next();
  // As a command, since it may take long.
  run({"cp", "-a", site_.copied_from, site_.workdir}, "/");
}

void NodeSetup::next() {
  if (left_.empty()) return finish();
  const std::vector<std::string> command = std::move(left_.back());
  left_.pop_back();
  (void)ports_.keeper.append(task_.output_path, "$ " + escaped(join(command, " ")) + "\n");
  run(command, site_.workdir);
}

void NodeSetup::run(const std::vector<std::string>& argv, const std::string& workdir) {
  running_ = shown(argv);
  // In a copied folder, the virtual environment is the one in the copy.
  const bool here = workdir == start_.workdir || venv_.empty() || !venv_.starts_with(start_.workdir + "/");
  std::map<std::string, std::string> environment = start_.environment;
  environment.emplace("PIP_DISABLE_PIP_VERSION_CHECK", "1");  // its note would hide the failure message
  enter_venv(environment, here ? venv_ : workdir + venv_.substr(start_.workdir.size()));
  SpawnRequest request;
  request.argv = argv;
  for (const auto& [name, value] : environment) request.environment.push_back(name + "=" + value);
  request.workdir = workdir;
  request.settings = start_.settings;
  request.stdout_path = request.stderr_path = task_.output_path;
  request.own_session = true;
  request.cgroup_name = "setup";
  request.container = start_.container;
  const Result<ProcessHandle> process = ports_.host.spawn(request, [this, alive = alive_](const ExitStatus& exit) {
    if (*alive) exited(exit);
  });
  if (!process.ok())
    return sweep([this, why = running_ + " could not be started: " + process.status().message()] { fail(why); });
  process_ = *process;
  tell(SetupPhase::running, running_);
}

void NodeSetup::exited(const ExitStatus& exit) {
  process_ = 0;
  if (stopped_) return sweep(changed_);
  if (exit.success() && !left_.empty()) return next();
  if (exit.success()) return sweep([this] { finish(); });
  ExitStatus ended = exit;
  if (ended.detail.empty()) ended.detail = failure_said(exit);
  sweep([this, why = running_ + " " + describe_exit(ended)] { fail(why); });
}

// Ends the processes that the commands have left.
void NodeSetup::sweep(std::function<void()> then) {
  sweeping_ = true;
  ports_.host.sweep({}, [this, alive = alive_, then = std::move(then)](uint32_t) {
    if (!*alive) return;
    sweeping_ = false;
    then();
  });
}

// The failure message of the command. If there is only the line that we wrote ("$ COMMAND"), there is none.
std::string NodeSetup::failure_said(const ExitStatus& exit) const {
  const std::string words = failure_message(ports_.files, {"", task_.output_path}, exit).said;
  return words.starts_with("$ ") ? "" : words;
}

void NodeSetup::finish() {
  if (stopped_) return;
  Status status = lock_ && !ports_.place.is_done(site_) ? ports_.place.note_done(site_) : Status();
  if (status.ok()) status = ports_.place.link(site_);
  if (!status.ok()) return fail(status.message());
  lock_.reset();
  if (!task_.commands.empty()) stay_used();
  // The interpreter of an environment that was made in an image may be a file of the image.
  if (venv_.empty() || start_.container || ports_.place.is_venv(venv_)) return tell(SetupPhase::done, "");
  report_.failure = task_.host + " has no virtual environment " + venv_ + ": there is no bin/python in it";
  tell(SetupPhase::failed, "");
}

// A job may run longer than an unused setup is kept.
void NodeSetup::stay_used() {
  timer_ = ports_.loop.at(ports_.loop.now() + kNoteUse, [this] {
    ports_.place.is_done(site_);
    stay_used();
  });
}

void NodeSetup::fail(const std::string& why) {
  lock_.reset();
  report_.failure = "setup failed on " + task_.host + ": " + why;
  tell(SetupPhase::failed, "");
}

void NodeSetup::stop() {
  stopped_ = true;
  ports_.loop.cancel(timer_);
  if (process_ != 0) ports_.host.signal(process_, SIGKILL, SignalReach::group);
}

void NodeSetup::tell(SetupPhase phase, const std::string& doing) {
  const bool same = report_.phase == phase && report_.doing == doing;
  report_.phase = phase;
  report_.doing = doing;
  if (!same) changed_();
}

}  // namespace muster
