// SPDX-License-Identifier: Apache-2.0
// test/golden/cli has the output that people read. MUSTER_REWRITE_GOLDEN=1 rewrites the files.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/text.h"
#include "core/client/view/json.h"
#include "core/client/view/status_lines.h"
#include "launcher/cli/command.h"
#include "launcher/doctor/healthy_test.h"
#include "launcher/view/describe_view.h"
#include "launcher/view/jobs_table.h"
#include "launcher/view/plan_view.h"
#include "launcher/view/why_view.h"

namespace muster {
namespace {

std::filesystem::path golden(const std::string& name) { return MUSTER_SOURCE_DIR "/test/golden/cli/" + name; }

void expect_golden(const std::string& name, const std::string& found) {
  if (std::getenv("MUSTER_REWRITE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(golden(name).parent_path());
    std::ofstream(golden(name), std::ios::binary) << found;
  }
  std::stringstream expected;
  expected << std::ifstream(golden(name), std::ios::binary).rdbuf();
  EXPECT_EQ(found, expected.str()) << name;
}

TimePoint at(double seconds) {
  return from_unix_nanos(1'763'700'000'000'000'000) +
         std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

const Style style{.columns = 120, .now = at(300)};
const Style narrow{.columns = 80, .now = at(300)};

ExitStatus exited_with(int code, const std::string& detail = "") { return {.code = code, .detail = detail}; }

ExitStatus killed(int signal, bool oom = false) {
  return {.kind = ExitStatus::Kind::signalled, .signal = signal, .oom = oom};
}

JobView running_job() {
  JobView job{.name = "llm",
              .state = "running",
              .sentence = "running: 2 ranks",
              .framework = "torch",
              .backend = "local",
              .workdir = "/home/ann/llm",
              .origin = "job.yaml",
              .code_commit = "3f2a9c1+dirty",
              .labels = {{"team", "vision"}},
              .attempt = 1,
              .restart_limit = 3,
              .nodes = 1,
              .submitted = at(10),
              .started = at(11)};
  for (uint32_t i = 0; i < 2; ++i) {
    job.ranks.push_back({.index = i,
                         .group = "worker",
                         .rank = i,
                         .name = "rank " + std::to_string(i),
                         .host = "ws1",
                         .phase = RankPhase::running,
                         .pid = 4100 + i,
                         .gpus = {"GPU-" + std::to_string(i)},
                         .cpus = {2 * i, 2 * i + 1},
                         .started = at(12)});
  }
  job.attempts = {{.attempt = 1, .placed = at(11), .running = at(12)}};
  job.progress =
      JobProgress{{12400, 30000, {{"loss", 0.412}}}, std::chrono::milliseconds(1920), std::chrono::seconds(33792)};
  return job;
}

JobView failed_job() {
  JobView job = running_job();
  job.name = "train-7f2";
  job.state = "failed";
  job.done = true;
  job.origin = "";
  job.exit_code = 1;
  job.ended = at(60);
  job.attempt = 3;
  job.restarts = 2;
  job.restart_limit = 2;
  job.sentence = "failed: rank 1 raised RuntimeError: shapes do not match at train.py:41, in attempt 3 of 3";
  job.ranks[0].exit = killed(SIGTERM);
  job.ranks[1].exit = exited_with(1, "RuntimeError: shapes do not match at train.py:41");
  job.attempts.clear();
  for (uint32_t i = 0; i < 3; ++i) {
    job.attempts.push_back({.attempt = i + 1,
                            .placed = at(11 + 14 * i),
                            .running = at(11.1 + 14 * i),
                            .ended = at(23 + 14 * i),
                            .cause = "rank 1 raised RuntimeError: shapes do not match at train.py:41",
                            .culprit = 1,
                            .culprit_exit = *job.ranks[1].exit,
                            .consequences = {"rank 0 was stopped because of it"}});
  }
  return job;
}

JobView queued_job() {
  JobView job{.name = "sweep-3",
              .state = "queued",
              .waits_for = "2 GPUs: llm holds 0, 1",
              .framework = "plain",
              .backend = "local",
              .submitted = at(240)};
  return job;
}

JobView job_of_groups() {
  JobView job = running_job();
  job.nodes = 2;
  job.ranks[1].group = "evaluator";
  return job;
}

JobView job_of_nodes() {
  JobView job = running_job();
  job.nodes = 2;
  return job;
}

// Rank 0 failed in the same way while it was stopped.
JobView failed_alike() {
  JobView job = failed_job();
  for (AttemptView& attempt : job.attempts) {
    attempt.consequences = {"rank 0 raised the same exception"};
  }
  job.attempts[1].cause = "ws1 was lost: its agent was killed by SIGKILL";
  return job;
}

JobView failed_by(const ExitStatus& exit, const std::string& cause) {
  JobView job = failed_job();
  job.attempts.resize(1);
  job.attempts[0].cause = cause;
  job.attempts[0].culprit_exit = exit;
  job.attempts[0].consequences.clear();
  return job;
}

TEST(Golden, Ps) {
  expect_golden("ps.txt", jobs_table({running_job(), failed_job(), queued_job()}, style, false));
  expect_golden("ps_narrow.txt", jobs_table({running_job(), failed_job(), queued_job()}, narrow, false));
  const Style tiny{.columns = 50, .now = at(300)};
  expect_golden("ps_very_narrow.txt", jobs_table({running_job(), failed_job()}, tiny, false));
  expect_golden("ps_without_notes.txt", jobs_table({running_job()}, narrow, false));
  Style wide = style;
  wide.columns = 0;
  JobView running = running_job();
  running.spec_json = R"({"groups": [{"command": ["python", "train.py", "--lr", "1"]}]})";
  expect_golden("ps_wide.txt", jobs_table({running, failed_job(), queued_job()}, wide, true));
}

TEST(Golden, Describe) {
  expect_golden("describe_running.txt", describe_view(running_job(), style));
  expect_golden("describe_failed.txt", describe_view(failed_job(), style));
  expect_golden("describe_queued.txt", describe_view(queued_job(), style));
  JobView cold = failed_job();
  for (RankView& rank : cold.ranks) {
    rank.pid = 0;
    rank.gpus.clear();
  }
  expect_golden("describe_cold.txt", describe_view(cold, narrow));
}

// A running job whose ranks were examined.
JobView examined_job() {
  JobView job = running_job();
  job.ranks[0].standing =
      RankLocation{"all_reduce (distributed.py:4181), in futex (futex_do_wait)",
                   "  Python thread 12\n    all_reduce (distributed.py:4181)\n    <module> (train.py:9)\n"
                   "  thread 12 python: futex (futex_do_wait)\n    pthread_cond_wait\n",
                   {},
                   {},
                   true};
  job.ranks[1].standing =
      RankLocation{"<module> (train.py:8), in clock_nanosleep (hrtimer_nanosleep)",
                   "  Python thread 13\n    <module> (train.py:8)\n  thread 13 python: clock_nanosleep\n",
                   {},
                   {},
                   true};
  return job;
}

TEST(Describe, AnAttemptThatLivesTellsItsAgeSoFar) {
  JobView job = failed_job();
  job.state = "running";
  job.done = false;
  job.ended = TimePoint();
  job.attempts[2] = {.attempt = 3, .placed = at(39), .running = at(39.1)};
  const std::string text = describe_view(job, style);
  EXPECT_NE(text.find("  " + humane_duration(style.now - at(39.1)) + " so far  "), std::string::npos) << text;
}

// The location is that of the main thread, so no other thread's functions may follow it.
TEST(Why, OfAThreadWithoutFunctions_ShowsNoOtherThreadsFunctions) {
  JobView job = examined_job();
  job.ranks[0].standing = RankLocation{
      "its own code", "  Python thread 12\n  Python thread 13\n    get (queue.py:3)\n    load (loader.py:9)\n"};
  EXPECT_EQ(why_view(job, style).find("loader.py"), std::string::npos) << why_view(job, style);
}

TEST(Golden, Why) {
  JobView succeeded = running_job();
  succeeded.state = "succeeded";
  succeeded.done = true;
  JobView again = failed_job();
  again.state = "succeeded";
  again.attempts[2] = {.attempt = 3, .placed = at(39), .running = at(39.1), .ended = at(60)};
  std::string text = "# failed three times\n" + why_view(failed_job(), style);
  text += "\n# in different ways, in 80 columns\n" + why_view(failed_alike(), narrow);
  text += "\n# and succeeded\n" + why_view(again, style);
  text += "\n# out of memory\n" + why_view(failed_by(killed(SIGKILL, true), "rank 1 ran out of memory"), style);
  text += "\n# a crash\n" + why_view(failed_by(killed(SIGSEGV), "rank 1 was killed by SIGSEGV"), style);
  text += "\n# a known word\n" + why_view(failed_by(exited_with(1, "ModuleNotFoundError: No module named 'torch'"),
                                                    "rank 1 raised ModuleNotFoundError"),
                                          style);
  text += "\n# no stdin\n" + why_view(failed_by(exited_with(1, "EOFError: EOF when reading a line at ask.py:1"),
                                                "rank 1 raised EOFError: EOF when reading a line at ask.py:1"),
                                      style);
  text += "\n# waits\n" + why_view(queued_job(), style) + "\n# runs\n" + why_view(running_job(), style);
  JobView begins = running_job();
  begins.sentence = "starting: 2 ranks on 1 node";
  begins.attempts[0].running = TimePoint();
  text += "\n# begins\n" + why_view(begins, style);
  JobView gathered = examined_job();
  gathered.ranks[1].standing = gathered.ranks[0].standing;
  text +=
      "\n# examined\n" + why_view(examined_job(), style) + "\n# examined, at one place\n" + why_view(gathered, style);
  JobView unread = examined_job();
  unread.ranks[0].standing = RankLocation{
      "read (pipe_read), called by PyNumber_Add",
      "  Python: muster cannot read the functions of Python 3.9 by itself, and py-spy is not installed. Install "
      "it on this host: pip install py-spy\n  thread 12 python3.9: read (pipe_read)\n    read\n    os_read\n"};
  text += "\n# examined, but not Python's functions\n" + why_view(unread, style);
  text += "\n# succeeded\n" + why_view(succeeded, style);
  expect_golden("why.txt", text);
}

JobView hanging_job() {
  JobView job = running_job();
  job.ranks[1].finding = RankFinding{RankFinding::Kind::stopped, at(270)};
  job.ranks[1].standing =
      RankLocation{"recv, called by muster_barrier", "  thread 4101 python3: recv\n    muster_barrier\n"};
  job.hang =
      "rank 1 is stopped by a signal (SIGSTOP or the like) since 12:04:30 UTC; it is in recv, called by "
      "muster_barrier";
  job.sentence = job.hang;
  job.hang_stack = "rank 1\n" + job.ranks[1].standing->stack;
  return job;
}

JobView slow_job() {
  JobView job = running_job();
  job.ranks[0].pace = 1000;
  job.ranks[1].pace = 553;
  return job;
}

JobView failed_by_a_hang() {
  JobView job = failed_by({}, hanging_job().hang);
  job.attempts[0].stack = hanging_job().hang_stack;
  job.attempts[0].consequences = {"rank 0 was stopped because of it"};
  return job;
}

TEST(Golden, Hangs) {
  std::string text = "# ps\n" + jobs_table({hanging_job(), slow_job()}, style, false);
  text += "\n# describe\n" + describe_view(hanging_job(), style) + "\n# of one that is slow\n" +
          describe_view(slow_job(), style);
  text += "\n# why\n" + why_view(hanging_job(), style) + "\n# after it failed by it\n" +
          why_view(failed_by_a_hang(), style);
  expect_golden("hangs.txt", text);
}

TEST(Golden, StatusLines) {
  JobView done = running_job();
  done.state = "succeeded";
  done.done = true;
  done.ended = at(42.4);
  JobView again = done;
  again.restarts = 1;
  JobView cancelled = done;
  cancelled.state = "cancelled";
  cancelled.sentence = "cancelled: you asked";
  std::string text = start_line(running_job(), "", style) + start_line(queued_job(), "no GPU seen", style);
  text += start_line(job_of_groups(), "", style) + start_line(job_of_nodes(), "", style);
  const JobEvent event{.sequence = 7,
                       .time = at(20.5),
                       .kind = "reported",
                       .state = "stopping",
                       .attempt = 1,
                       .sentence = "rank 1 exited with code 3 · restarting, attempt 2 of 4, in 1 s"};
  text += event_line("llm", event, style) + end_lines(done, style) + end_lines(again, style);
  text += end_lines(failed_job(), style) + end_lines(cancelled, style) + timeline_line(event, style);
  text += interrupt_question(std::chrono::seconds(30)) + "\n" + interrupt_question(Duration(0)) + "\n";
  expect_golden("status_lines.txt", text);
}

// A narrow terminal.
TEST(Golden, FortyColumns) {
  const Style forty{.columns = 40, .now = at(300)};
  const std::string text = jobs_table({running_job(), failed_job(), queued_job()}, forty, false) + "\n" +
                           describe_view(failed_job(), forty, 3 << 20);
  for (const std::string& line : split(text, '\n')) {
    const bool wraps = line.starts_with("next:") || line.find(" · attempt ") != std::string::npos;
    EXPECT_TRUE(wraps || display_width(line) <= 40) << line;
  }
  expect_golden("forty.txt", text);
}

TEST(Golden, WhyForPrograms) {
  expect_golden("why.json", pretty_json(why_json(failed_job(), style)));
  expect_golden("why_running.json", pretty_json(why_json(running_job(), style)));
}

TEST(Golden, Colours) {
  Style coloured = style;
  coloured.colour = true;
  expect_golden("ps_coloured.txt", jobs_table({running_job(), failed_job(), queued_job()}, coloured, false));
}

TEST(Golden, Json) {
  expect_golden("job.json", pretty_json(job_json(failed_job(), at(300))));
  expect_golden("job.yaml", yaml_from_json(job_json(running_job(), at(300))));
  const OutputChunk chunk{{2, 1, OutputStream::err, 40}, "a line\n\xff"};
  const JobEvent event{
      .sequence = 7, .time = at(20.5), .kind = "reported", .state = "running", .attempt = 1, .sentence = "x"};
  expect_golden("run_lines.json", event_json(event) + "\n" + output_json(chunk) + "\n" + remark_json("goes on") + "\n");
}

JobSpec planned_spec() {
  JobSpec spec;
  spec.name = "fashion";
  spec.framework = Framework::torch;
  spec.workdir = "/home/ann/fashion";
  spec.env = {{"OMP_NUM_THREADS", {"1", {}}},
              {"WANDB_API_KEY", {"", SecretSource{SecretSource::Kind::env, "KEY", false}}}};
  spec.groups.push_back({.workers = {false, 2},
                         .worker = {.gpus = {false, 1}, .cpus = 2},
                         .command = {"python", "train.py", "--lr", "1"}});
  return spec;
}

TEST(Golden, Plan) {
  const JobSpec spec = planned_spec();
  const Inventory machine{.host = "ws1",
                          .cpus = {0, 1, 2, 3},
                          .memory_bytes = 8ULL << 30,
                          .gpus = {{0, "GPU-a", "NVIDIA H100 80GB HBM3", 80ULL << 30, 0},
                                   {1, "GPU-b", "NVIDIA H100 80GB HBM3", 80ULL << 30, 0}}};
  const auto plan = plan_on_one_machine(spec, machine);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  const auto environments = shown_environments(spec, *plan, places_here(*plan, "127.0.0.1"));
  expect_golden("render.txt", plan_view(spec, *plan, environments, style));
  expect_golden("render.json", pretty_json(plan_json(spec, *plan, environments)));
}

TEST(Golden, Doctor) {
  DoctorFacts ill = healthy_machine();
  ill.machine.cpus_online = 8;
  ill.gpus.driver = true;
  ill.storage.shared_memory_bytes = 64ULL << 20;
  ill.storage.state.free_bytes = 10ULL << 20;
  ill.limits.open_files_soft = 1024;
  ill.limits.processes_soft = 100;
  ill.limits.locked_memory_soft = 8ULL << 20;
  ill.limits.cgroup_mode = "none";
  ill.machine.systemd = true;
  ill.storage.state.writable = false;
  ill.python.packages.clear();
  ill.own.listens = false;
  DoctorFacts container = healthy_machine();
  container.machine.container = true;
  container.limits.cgroup_mode = "v2, read-only";
  container.storage.state.writable = false;
  container.storage.state_named = true;
  container.own.dead_leases = {"/tmp/muster-leases/port-20000"};
  container.gpus.troubles = {"GPU 1 is left out: GPU is lost"};
  EXPECT_FALSE(has_problem(judge(healthy_machine())));
  EXPECT_TRUE(has_problem(judge(ill)));
  expect_golden("doctor_healthy.txt", doctor_view(judge(healthy_machine()), style));
  expect_golden("doctor_ill.txt", doctor_view(judge(ill), style));
  expect_golden("doctor_container.txt", doctor_view(judge(container), style));
  expect_golden("doctor.json", pretty_json(doctor_json(judge(ill))));
}

}  // namespace
}  // namespace muster
