// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/job_yaml.h"

#include <gtest/gtest.h>

#include "core/job/file/validate.h"

namespace muster {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kFashion = R"(name: fashion
framework: torch            # plain | torch | … (files in core/framework; here: plain and torch)
nodes: 1                    # N or MIN..MAX
workers: 2                  # per node: N, or auto = one per visible GPU, else 1
worker: {gpus: auto, cpus: 1, memory: 2GiB}
command: [python, train.py, --epochs, "2"]
workdir: .
env: {OMP_NUM_THREADS: 1, WANDB_API_KEY: {from: "env:WANDB_API_KEY", optional: true}}
restarts: {limit: 3, backoff: {first: 0s, then: 1s..60s}, grace: 2s, never_on: [exit 2], always_on: [SIGBUS]}
timeouts: {queue: 1h, start: 5m, run: 24h, stop: 30s, leftovers: 1m}
leftovers: stop
backend: local              # local | ssh | kubernetes; --backend wins
)";

JobSpec fashion() {
  JobSpec spec;
  spec.name = "fashion";
  spec.framework = Framework::torch;
  GroupSpec group;
  group.workers = {false, 2};
  group.worker = {AutoCount{true, 0}, 1, 2ULL << 30};
  group.command = {"python", "train.py", "--epochs", "2"};
  spec.groups = {group};
  spec.env["OMP_NUM_THREADS"] = EnvValue{"1", std::nullopt};
  spec.env["WANDB_API_KEY"] = EnvValue{"", SecretSource{SecretSource::Kind::env, "WANDB_API_KEY", true}};
  spec.restarts.limit = 3;
  spec.restarts.never_on = {{FailureRule::Kind::exit_code, 2}};
  spec.restarts.always_on = {{FailureRule::Kind::signal, 7}};
  spec.timeouts = {
      .queue = hours(1), .start = minutes(5), .run = hours(24), .stop = seconds(30), .leftovers = minutes(1)};
  spec.leftovers = LeftoverAction::stop;
  return spec;
}

JobSpec read(const std::string& text) {
  const ParsedJob job = parse_job(text, "job.yaml");
  const auto problems = check_job(job, "job.yaml");
  EXPECT_TRUE(problems.empty()) << render_diagnostics(problems, text, false);
  return job.spec;
}

std::vector<std::string> codes(const std::string& text) {
  std::vector<std::string> found;
  for (const Diagnostic& each : check_job(parse_job(text, "job.yaml"), "job.yaml")) found.push_back(each.code);
  return found;
}

using Codes = std::vector<std::string>;

TEST(JobYaml, ALabelAtTheTopIsOfEveryGroup) {
  EXPECT_EQ(read("label: rack1\ncommand: [x]").groups.at(0).label, "rack1");
  EXPECT_EQ(read("command: [x]\nlabel: rack1").groups.at(0).label, "rack1");
  const JobSpec two = read("groups: [{name: a, command: [x]}, {name: b, command: [y], label: cpu}]\nlabel: rack1");
  EXPECT_EQ(two.groups.at(0).label, "rack1");
  EXPECT_EQ(two.groups.at(1).label, "cpu");
}

TEST(JobYaml, ThePlaceInTheQueue) {
  const JobSpec spec = read("command: [x]\npriority: -7\nhold: true\nbusy_gpus: take\n");
  EXPECT_EQ(spec.priority, -7);
  EXPECT_TRUE(spec.hold);
  EXPECT_EQ(spec.busy_gpus, BusyGpus::take);
  EXPECT_EQ(parse_job_json(spec_to_json(spec), "journal").spec, spec);
  const JobSpec usual = read("command: [x]\npriority: 0\n");
  EXPECT_EQ(usual.priority, 0);
  EXPECT_EQ(spec_to_json(usual).find("priority"), std::string::npos);
  EXPECT_EQ(codes("command: [x]\npriority: 101\n"), Codes{"E1103"});
  EXPECT_EQ(codes("command: [x]\npriority: -101\n"), Codes{"E1103"});
  EXPECT_EQ(codes("command: [x]\npriority: high\n"), Codes{"E1102"});
}

TEST(JobYaml, WarmIsAWordOrModules) {
  using Mode = WarmSpec::Mode;
  EXPECT_EQ(read("command: [x]").warm.mode, Mode::usual);
  EXPECT_EQ(read("command: [x]\nwarm: auto").warm.mode, Mode::automatic);
  EXPECT_EQ(read("command: [x]\nwarm: off").warm.mode, Mode::off);
  EXPECT_EQ(read("command: [x]\nwarm: [torch, torch._dynamo]").warm,
            (WarmSpec{Mode::modules, {"torch", "torch._dynamo"}}));
  EXPECT_EQ(codes("command: [x]\nwarm: torch"), Codes{"E1204"});
  for (const char* name : {"a-b", "1a", ".a", "a.", "a..b", "''", "a b"}) {
    EXPECT_EQ(codes("command: [x]\nwarm: [" + std::string(name) + "]"), Codes{"E1115"}) << name;
  }
}

TEST(JobYaml, TheFileOfTheIssueWorksAsWritten) { EXPECT_EQ(read(kFashion), fashion()); }

TEST(JobYaml, OneKeyIsAJob) {
  JobSpec spec;
  spec.groups = {GroupSpec{}};
  spec.groups[0].command = {"./train"};
  EXPECT_EQ(read("command: [./train]"), spec);
}

TEST(JobYaml, GroupsHaveKeysOfTheirOwn) {
  const JobSpec spec = read(R"(
world: shared
groups:
  - name: trainer
    nodes: 2..4
    workers: auto
    worker: {gpus: 1}
    command: [python, train.py]
    env: {ROLE: trainer}
  - {name: evaluator, command: [python, eval.py], success: ignore}
)");
  ASSERT_EQ(spec.groups.size(), 2u);
  EXPECT_EQ(spec.world, World::shared);
  EXPECT_EQ(spec.groups[0].min_nodes, 2u);
  EXPECT_EQ(spec.groups[0].max_nodes, 4u);
  EXPECT_TRUE(spec.groups[0].workers.automatic);
  EXPECT_EQ(spec.groups[0].env.at("ROLE").literal, "trainer");
  EXPECT_EQ(spec.groups[1].success, SuccessRule::ignore);
}

TEST(JobYaml, TextsKeepWhatIsWritten) {
  const JobSpec spec = read("command: [run, 1, 1.50, 0x1F, true, '010', \"no\", '']\nlabels: {v: 1.10}\nenv: {A: 1e3}");
  EXPECT_EQ(spec.groups[0].command, (std::vector<std::string>{"run", "1", "1.50", "0x1F", "true", "010", "no", ""}));
  EXPECT_EQ(spec.labels.at("v"), "1.10");
  EXPECT_EQ(spec.env.at("A").literal, "1e3");
}

TEST(JobYaml, CommentedOutMapsAreSilent) {
  EXPECT_EQ(read("command: [./train]\nenv:\nlabels:\nrestarts:\n#  limit: 3\n"), read("command: [./train]"));
}

TEST(JobYaml, ANumberForWorker_SuggestsWorkers) {
  const auto found = parse_job("worker: 2\ncommand: [./train]", "job.yaml").diagnostics;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "E1101");
  EXPECT_EQ(found[0].help, "to set the number of ranks per node, write workers: 2");
}

TEST(JobYaml, AllErrorsInOneRun) {
  EXPECT_EQ(codes("framework: troch\nworker: {memory: 4GigaByte}\nnodes: 4..2\ncomand: [x]"),
            (Codes{"E1204", "E1107", "E1301", "E1201"}));
}

TEST(JobYaml, NumbersHaveRanges) {
  for (const char* text : {"restarts: {limit: 4294967296}", "restarts: {limit: -1}", "nodes: 0", "workers: 0",
                           "nodes: 0..2", "workers: 99999999999999999999999999", "version: 0"}) {
    EXPECT_EQ(codes(std::string(text) + "\ncommand: [x]"), Codes{"E1103"}) << text;
  }
  for (const char* text : {"workers: two", "workers: 2.0", "workers: 0x2", "nodes: 1e2", "restarts: {limit: ''}"}) {
    EXPECT_EQ(codes(std::string(text) + "\ncommand: [x]"), Codes{"E1102"}) << text;
  }
  EXPECT_EQ(codes("workers: 010\ncommand: [x]"), Codes{"E1104"});
}

TEST(JobYaml, UnitsAreChecked) {
  for (const char* text : {"5", "5min", "1.5h", "-1s", "forever", "1s 2s"}) {
    EXPECT_EQ(codes("command: [x]\ntimeouts: {run: " + std::string(text) + "}"), Codes{"E1106"}) << text;
  }
  for (const char* text : {"5", "4gb", "1.5GiB", "-1GiB", "all"}) {
    EXPECT_EQ(codes("command: [x]\nlogs: {max: " + std::string(text) + "}"), Codes{"E1107"}) << text;
  }
  EXPECT_EQ(read("command: [x]\nlogs: {max: 0}").logs.max_bytes, 0u);
}

TEST(JobYaml, TheNearestUnitIsSuggested) {
  const auto found = parse_job("worker: {memory: 4GigaByte}", "job.yaml").diagnostics;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "`memory` must be a size such as 4GiB, not `4GigaByte`");
  EXPECT_EQ(found[0].suggestions, std::vector<std::string>{"4GiB"});
}

TEST(JobYaml, ACommandIsAList) {
  const auto found = parse_job("command: python train.py --epochs 2", "job.yaml").diagnostics;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "E1112");
  EXPECT_EQ(found[0].help, "write  command: [python, train.py, --epochs, \"2\"]");
  const auto shell = parse_job("command: \"a | b\"", "job.yaml").diagnostics;
  EXPECT_EQ(shell.at(0).help, "write  command: [bash, -c, \"a | b\"]");
  EXPECT_EQ(codes("command: [a, {b: c}]"), Codes{"E1101"});
  EXPECT_EQ(codes("command: [a, ~]"), Codes{"E1113"});
  EXPECT_EQ(codes("command: []"), Codes{"E1304"});
  EXPECT_EQ(codes("command:"), Codes{"E1113"});
}

TEST(JobYaml, SetupIsAListOfCommands) {
  const JobSpec spec = read("command: [x]\nsetup: [[make, -j, '4'], [sh, -c, a b]]\npython: {venv: .venv}");
  EXPECT_EQ(spec.setup, (std::vector<std::vector<std::string>>{{"make", "-j", "4"}, {"sh", "-c", "a b"}}));
  EXPECT_EQ(spec.python.venv, ".venv");
  EXPECT_TRUE(needs_setup(spec));
  EXPECT_FALSE(needs_setup(read("command: [x]\nsetup: []")));
  EXPECT_EQ(codes("command: [x]\nsetup: [pip install torch]"), Codes{"E1112"});
  EXPECT_EQ(codes("command: [x]\nsetup: pip install torch"), Codes{"E1101"});
  EXPECT_EQ(codes("command: [x]\nsetup: [[]]"), Codes{"E1101"});
  const auto found = parse_job("command: [x]\nsetup: [cd src && make]", "job.yaml").diagnostics;
  EXPECT_EQ(found.at(0).help, "write  - [bash, -c, \"cd src && make\"]");
}

TEST(JobYaml, InImage_IsATextOrAMap) {
  const JobSpec spec = read("command: [x]\nin_image: registry.example/train:7");
  EXPECT_EQ(spec.in_image, InImageSpec{"registry.example/train:7"});
  EXPECT_TRUE(needs_setup(spec));
  const JobSpec more = read(
      "in_image: {image: a.sif, program: apptainer, mounts: [\"/a:/b:ro\", \":/c\"], files: {/c/d: \"1\\n2\"}}\n"
      "groups: [{name: g, in_image: b.sif, command: [x]}]");
  EXPECT_EQ(more.in_image,
            (InImageSpec{"a.sif", ContainerProgram::apptainer, {"/a:/b:ro", ":/c"}, {{"/c/d", "1\n2"}}}));
  EXPECT_EQ(image_of(more, more.groups[0]), "b.sif");
  EXPECT_FALSE(uses_image(read("command: [x]")));
  EXPECT_FALSE(uses_image(read("command: [x]\nbackend: kubernetes\nin_image: a")));
  EXPECT_EQ(codes("command: [x]\nin_image: {program: runc}"), Codes{"E1204"});
}

TEST(JobYaml, TrapsOfYamlWantQuotes) {
  EXPECT_EQ(codes("command: [x]\nenv: {A: no, B: 010, C: }"), (Codes{"E1105", "E1104", "E1113"}));
  EXPECT_EQ(codes("command: [x, on]\nlabels: {a: 1:30}"), (Codes{"E1105", "E1104"}));
}

TEST(JobYaml, SecretsAreReferences) {
  EXPECT_EQ(codes("command: [x]\nenv: {A: {from: B}}"), Codes{"E1111"});
  EXPECT_EQ(codes("command: [x]\nenv: {A: {optional: true}}"), Codes{"E1111"});
  EXPECT_EQ(codes("command: [x]\nenv: {A: {from: 'env:'}}"), Codes{"E1111"});
  EXPECT_EQ(codes("command: [x]\nenv: {A: {from: 'env:B=C'}}"), Codes{"E1111"});
  EXPECT_EQ(codes("command: [x]\nenv: {A: {from: 'env:B', optinal: true}}"), Codes{"E1201"});
  EXPECT_EQ(codes("command: [x]\nenv: {A: {from: 'env:B', optional: maybe}}"), Codes{"E1114"});
  const JobSpec spec = read("command: [x]\nenv: {A: {from: 'cmd:pass show wandb'}}");
  EXPECT_EQ(spec.env.at("A").secret->where, "pass show wandb");
}

TEST(JobYaml, RulesOnExits) {
  const JobSpec spec = read("command: [x]\nrestarts: {never_on: [exit 2, SIGBUS, oom, signal 34]}");
  EXPECT_EQ(spec.restarts.never_on.size(), 4u);
  for (const char* rule : {"2", "SEGV", "exit 0", "exit 256", "exit", "exit -1", "boom"}) {
    EXPECT_EQ(codes("command: [x]\nrestarts: {never_on: [" + std::string(rule) + "]}"), Codes{"E1110"}) << rule;
  }
}

TEST(JobYaml, FormsAreNotMixed) {
  EXPECT_EQ(codes("workers: 2\ngroups: [{command: [x]}]"), Codes{"E1303"});
  EXPECT_EQ(codes("groups: []"), Codes{"E1305"});
  EXPECT_EQ(codes("groups: [x]"), Codes{"E1101"});
  EXPECT_EQ(codes("groups: [{command: [x]}, {command: [y]}]"), (Codes{"E1206", "E1206"}));
}

TEST(JobYaml, NewerFormatsAreNotGuessed) {
  const auto found = parse_job("version: 2\nnew_key: 1\ncommand: [x]", "job.yaml").diagnostics;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "E1210");
  EXPECT_EQ(found[0].message, "this file was written for a newer muster: version 2");
}

TEST(JobYaml, DuplicatesAreErrorsEverywhere) {
  EXPECT_EQ(codes("command: [x]\nname: a\nname: b"), Codes{"E1202"});
  EXPECT_EQ(codes("command: [x]\nenv: {A: 1, A: 2}"), Codes{"E1202"});
  EXPECT_EQ(codes("command: [x]\nrestarts: {limit: 1, limit: 1}"), Codes{"E1202"});
}

TEST(JobYaml, UnknownKeysAreHelped) {
  const auto label = [](const char* text) {
    const auto found = parse_job(text, "job.yaml").diagnostics;
    return found.empty() ? std::string("nothing") : found[0].label;
  };
  EXPECT_EQ(label("comand: [x]"), "did you mean `command`?");
  EXPECT_EQ(label("nnodes: 2"), "did you mean `nodes`?");
  EXPECT_EQ(label("gpus: 2"), "did you mean `worker.gpus`?");
  EXPECT_EQ(label("worker: {name: x}"), "`name` belongs at the top of a job file");
  EXPECT_EQ(label("restarts: {limits: 2}"), "did you mean `limit`?");
  EXPECT_EQ(label("framework: PyTorch"), "did you mean `torch`?");
  EXPECT_EQ(label("colour: red"), "");
}

TEST(JobYaml, TwoHundredAreEnough) {
  std::string text;
  for (int i = 0; i < 230; ++i) text += "unheard_of_" + std::to_string(i) + ": 1\n";
  const auto found = parse_job(text, "job.yaml").diagnostics;
  ASSERT_EQ(found.size(), 201u);
  EXPECT_EQ(found.back().message, "30 more problems not shown");
}

TEST(JobYaml, ConfigurationFillsWhatTheFileLeavesOut) {
  const ParsedJob job = parse_job_with_config(
      "command: [x]\nenv: {A: file}\nrestarts: {limit: 1}", "job.yaml",
      {{"project.yaml", "backend: ssh\nenv: {A: project, B: project}\nworker: {cpus: 2}"},
       {"user.yaml", "backend: kubernetes\nenv: {B: user, C: user}\nrestarts: {limit: 9, grace: 7s}"},
       {"empty.yaml", "# nothing\n"}});
  EXPECT_TRUE(job.diagnostics.empty()) << render_diagnostics(job.diagnostics, "", false);
  EXPECT_EQ(job.spec.backend, BackendKind::ssh);
  EXPECT_EQ(job.spec.env.at("A").literal, "file");
  EXPECT_EQ(job.spec.env.at("B").literal, "project");
  EXPECT_EQ(job.spec.env.at("C").literal, "user");
  EXPECT_EQ(job.spec.restarts.limit, 1u);
  EXPECT_EQ(job.spec.restarts.grace, seconds(7));
  EXPECT_EQ(job.spec.groups[0].worker.cpus, 2u);
  EXPECT_EQ(job.places.at("backend").file, "project.yaml");
  EXPECT_EQ(job.places.at("restarts.limit").file, "job.yaml");
}

TEST(JobYaml, ConfigurationHoldsForEveryGroup) {
  const ParsedJob job =
      parse_job_with_config("groups: [{name: a, command: [x]}, {name: b, command: [y], worker: {cpus: 1}}]", "job.yaml",
                            {{"muster.yaml", "worker: {cpus: 4, memory: 1GiB}"}});
  EXPECT_TRUE(job.diagnostics.empty());
  EXPECT_EQ(job.spec.groups[0].worker.cpus, 4u);
  EXPECT_EQ(job.spec.groups[1].worker.cpus, 1u);
  EXPECT_EQ(job.spec.groups[1].worker.memory_bytes, 1ULL << 30);
}

TEST(JobYaml, ErrorsOfALayerPointAtItsFile) {
  const ParsedJob job =
      parse_job_with_config("command: [x]", "job.yaml", {{"muster.yaml", "backend: shh\ncommand: [y]\nbakend: ssh"}});
  ASSERT_EQ(job.diagnostics.size(), 3u);
  EXPECT_EQ(job.diagnostics[0].code, "E1204");
  EXPECT_EQ(job.diagnostics[0].where, (SourceRange{"muster.yaml", 1, 10, 3}));
  EXPECT_EQ(job.diagnostics[1].code, "E1203");
  EXPECT_EQ(job.diagnostics[2].label, "did you mean `backend`?");
}

}  // namespace
}  // namespace muster
