// SPDX-License-Identifier: Apache-2.0
// `muster pod coordinate`: runs one job from its submission to its termination message.

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "backends/kubernetes/cluster/ended_words.h"
#include "backends/kubernetes/pod/failed_port.h"
#include "backends/kubernetes/pod/log_record.h"
#include "core/job/file/job_yaml.h"
#include "core/job/pod_words.h"
#include "core/system/linux/process/close_descriptors.h"
#include "core/system/store/state_lock.h"
#include "launcher/follow/following.h"
#include "launcher/pod/pod.h"
#include "launcher/pod/pod_host.h"
#include "launcher/view/why_view.h"

namespace muster::pod {
namespace {

// The same key after each restart of the container, so that the job is submitted once.
constexpr const char* kSubmitKey = "pod";
// The longest wait until all agents know the end. Agents that lost their link reconnect meanwhile.
constexpr Duration kShutdownDelay = std::chrono::seconds(30);
// The minimum time after the job's end. Agents that lost their link reconnect within it, and the cluster records the end of the agents'
// pods. If the coordinator ended before that, the JobSet would start the verdict pod although the job has succeeded.
constexpr Duration kReconnectTime = std::chrono::seconds(3);
// The longest wait for the verdict pod. It is created late, perhaps on a full cluster, and without it the JobSet never ends.
constexpr Duration kVerdictPatience = std::chrono::hours(1);
// The time that the verdict pod has to receive the sentence.
constexpr Duration kVerdictShutdown = std::chrono::milliseconds(2500);
constexpr Duration kPollPeriod = std::chrono::milliseconds(20);

struct Ending {
  std::string sentence;
  std::string termination_message;
  bool succeeded = false;
  std::string record;  // for the end of the log
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::map<std::string, std::string> secrets_of(const PodPlace& place) {
  std::map<std::string, std::string> secrets;
  const auto json = nlohmann::json::parse(text_of(place.secrets + "/" + kSecretsKey), nullptr, false);
  if (!json.is_object()) return secrets;
  for (const auto& [name, value] : json.items())
    if (value.is_string()) secrets[name] = value.get<std::string>();
  return secrets;
}

JobSpec spec_in_cluster(JobSpec spec) {
  spec.backend = BackendKind::kubernetes;
  return spec;
}

SubmitRequest request_of(const CallerContext& caller, const PodPlace& place) {
  SubmitRequest request;
  request.submit_key = kSubmitKey;
  const ParsedJob job = parse_job_json(caller.variable(kJobVariable).value_or(""), kJobVariable);
  // submit() reports what is wrong with an invalid job.
  request.spec_json = has_errors(job.diagnostics) ? caller.variable(kJobVariable).value_or("")
                                                  : spec_to_json(spec_in_cluster(job.spec));
  request.secrets = secrets_of(place);
  return request;
}

FollowPlan plan_for(const std::string& id) {
  FollowPlan plan;
  plan.request.job = id;
  plan.request.events = true;
  plan.request.output = true;
  plan.text.output.marks = true;
  plan.rules.mode = InterruptMode::attach;  // the end of this pod does not end the job: a replacement pod continues it
  return plan;
}

Ending ending_of(const JobView& job, const std::vector<JobEvent>& events, const Style& style) {
  return {job.name + " " + job.sentence, job.sentence + "\n" + counts_line(job) + "\n\n" + why_view(job, style),
          job.state == "succeeded", record_lines({job, events})};
}

// All events of an ended job.
std::vector<JobEvent> events_of(AsioLoop& loop, JobReadClient& client, const JobView& job) {
  std::vector<JobEvent> events;
  bool over = false;
  const auto follow = client.follow(
      {.job = job.id.text(), .events = true, .follow = false},
      [&](const FollowItem& item) {
        if (const auto* event = std::get_if<JobEvent>(&item.item)) events.push_back(*event);
      },
      [&](const Status&) { over = true; });
  while (!over && loop.run_one()) continue;
  return events;
}

// Runs the loop until `done` or until `patience` is over.
void run_until(AsioLoop& loop, Duration patience, const std::function<bool()>& done) {
  const TimePoint until = loop.now() + patience;
  while (!done() && loop.now() < until) {
    const TimerId wake = loop.at(loop.now() + kPollPeriod, [] {});
    const bool ran = loop.run_one();
    loop.cancel(wake);  // else each other event would add a timer
    if (!ran) return;
  }
}

// The job has ended: waits until the agents and the verdict pod know it. Stops waiting if this pod is terminated, because then the JobSet
// is being deleted and no pod connects any more.
int report_end(const PodPlace& place, AsioLoop& loop, HeldSignals& signals, PodHost& host, FailedPort* failed,
               const Ending& ending) {
  bool to_end = false;
  signals.deliver_to([&to_end](int) { to_end = true; });
  write_termination_message(place, ending.termination_message);
  host.pods().job_over(ending.sentence, ending.succeeded);
  if (ending.succeeded) {
    TimePoint alone_since = loop.now();
    run_until(loop, kShutdownDelay, [&] {
      if (host.has_execs()) alone_since = loop.now();
      return to_end || loop.now() - alone_since >= kReconnectTime;
    });
    return exit_ok;
  }
  if (failed != nullptr) failed->tell();
  run_until(loop, kVerdictPatience, [&] { return to_end || host.pods().verdict_given(); });
  run_until(loop, kVerdictShutdown, [&] { return to_end; });
  if (to_end && !host.pods().verdict_given()) return exit_job_failed;
  return exit_ok;  // the verdict pod fails instead, so that this pod and its log remain
}

// The record is printed last, because the cluster may rotate a long log at any time while the container runs.
int finish(CommandContext& context, const PodPlace& place, AsioLoop& loop, HeldSignals& signals, PodHost& host,
           FailedPort* failed, const Ending& ending) {
  const int code = report_end(place, loop, signals, host, failed, ending);
  context.screen.out(ending.record);
  return code;
}

// Executes this program again in the same process, so that it loads the job from its store.
void begin_anew(const CallerContext& caller) {
  std::cerr << "an agent keeps the job's journal: taking over from an earlier coordinator" << std::endl;
  const std::vector<std::string> words = words_of_program(caller);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  for (const char* word : {"pod", "coordinate"}) arguments.push_back(const_cast<char*>(word));
  arguments.push_back(nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  close_descriptors_from(STDERR_FILENO + 1);
  execv(arguments[0], arguments.data());
  _exit(exit_job_failed);  // a restarted container continues with the job too
}

// The exit code. Nothing: this pod is terminated before the job has ended.
std::optional<int> run_job(CommandContext& context, const PodPlace& place, Connection& connection, PodHost& host) {
  HeldSignals signals(connection.loop());
  const auto opened = FailedPort::open(connection.loop(), place.self.address, kFailedPort);
  if (!opened.ok()) std::cerr << opened.status().message() << "\n";
  FailedPort* const failed = opened.ok() ? opened->get() : nullptr;
  const SubmitRequest request = request_of(context.caller, place);
  host.look_for_earlier(request, [&] { begin_anew(context.caller); });
  auto job = connection.client()->submit(request);
  if (!job.ok()) {
    const std::string sentence = "the job cannot run: " + job.status().message();
    std::cerr << sentence << "\n";
    return finish(context, place, connection.loop(), signals, host, failed, {sentence, sentence, false, ""});
  }
  const std::string id = job->id.text();
  follow_job(context, connection, signals, std::move(*job), plan_for(id));
  const auto ended = connection.client()->describe(id);
  if (!ended.ok() || !ended->done) return std::nullopt;
  const auto events = events_of(connection.loop(), *connection.client(), *ended);
  return finish(context, place, connection.loop(), signals, host, failed,
                ending_of(*ended, events, context.err_style()));
}

}  // namespace

int refuse(const Status& status) {
  std::cerr << "error: " << status.message() << "\n";
  return exit_job_failed;
}

int coordinate_main(CommandContext& context) {
  const PodPlace place = pod_place(context.caller);
  if (const Status made = make_folders(place); !made.ok()) return refuse(made);
  CallerContext caller = context.caller;
  caller.environment["MUSTER_STATE_DIR"] = place.state();
  const auto lock = StateLock::take(place.state());
  if (!lock.ok()) return refuse(lock.status());
  CommandContext own{caller, context.screen, nullptr, context.colour};
  PodHost* host = nullptr;
  auto connection = Connection::host([&](AsioLoop& loop) -> Result<std::unique_ptr<Hosted>> {
    auto opened = PodHost::open(caller, loop, place);
    if (!opened.ok()) return opened.status();
    host = opened->get();
    return std::unique_ptr<Hosted>(std::move(*opened));
  });
  if (!connection.ok()) return refuse(connection.status());
  const std::optional<int> code = run_job(own, place, **connection, *host);
  if (code) return *code;
  connection->reset();  // so that the agents look for the next coordinator
  wait_termination_delay(place);
  return exit_job_failed;
}

}  // namespace muster::pod
