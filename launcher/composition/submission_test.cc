// SPDX-License-Identifier: Apache-2.0
// From a command line to a submit request, in a temporary folder.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/client/preflight/preflight_codes.h"
#include "core/client/submission/config_layers.h"
#include "core/client/submission/job_draft.h"
#include "core/client/submission/job_name.h"
#include "core/client/submission/job_source.h"
#include "core/framework/framework.h"
#include "core/job/names.h"
#include "launcher/composition/draft_backends.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class SubmissionTest : public testing::Test {
 protected:
  SubmissionTest() {
    std::string pattern = (fs::temp_directory_path() / "muster-submission-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    here.workdir = folder / "project/src";
    here.environment = {{"HOME", folder}, {"PATH", "/usr/bin:/bin"}, {"TOKEN", "geheim"}};
    fs::create_directories(here.workdir);
    words.command = {"/bin/true"};
  }
  ~SubmissionTest() override { fs::remove_all(folder); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  void flag(const std::string& key, const std::string& value) {
    for (JobFlags::Mirror& mirror : words.flags.mirrors) {
      if (mirror.key == key) mirror.value = value;
    }
  }
  std::vector<std::string> codes(JobDraft& draft) {
    complete_draft(draft, here);
    std::vector<std::string> found;
    for (const Diagnostic& diagnostic : draft.diagnostics) found.push_back(diagnostic.code);
    return found;
  }

  std::string source_error(const std::string& file) {
    const auto text = read_job_source(file, words.flags.typed, here);
    return text.ok() ? "" : text.status().message();
  }

  fs::path folder;
  CallerContext here;
  JobWords words;
};

TEST_F(SubmissionTest, ACommandLine_IsAJob) {
  flag("workers", "4");
  words.flags.env = {"A=1: b", "TOKEN", "ABSENT"};
  words.flags.set = {"restarts.limit=3"};
  auto draft = draft_job(words, here, draft_backends());
  ASSERT_TRUE(draft.ok());
  EXPECT_THAT(codes(*draft), ElementsAre());
  const JobSpec& spec = draft->spec;
  EXPECT_EQ(spec.groups.at(0).workers.count, 4u);
  EXPECT_EQ(spec.env.at("A").literal, "1: b");
  EXPECT_EQ(spec.env.at("TOKEN").literal, "") << "its value is a secret";
  ASSERT_TRUE(spec.env.at("TOKEN").secret);
  EXPECT_FALSE(spec.env.contains("ABSENT"));
  EXPECT_EQ(spec.restarts.limit, 3u);
  EXPECT_EQ(spec.workdir, here.workdir);
  EXPECT_TRUE(is_name(spec.name)) << spec.name;
  EXPECT_TRUE(spec.name.starts_with("true-"));
}

TEST_F(SubmissionTest, FlagsWinOverEnvironmentOverProjectOverUser) {
  write("project/.git/HEAD", "");
  write("project/muster.yaml", "backend: ssh\nrestarts: {limit: 2}\n");
  write(".config/muster/config.yaml", "backend: kubernetes\ntimeouts: {stop: 7s}\nrestarts: {limit: 9}\n");
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.backend, BackendKind::ssh);
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.restarts.limit, 2u);
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.timeouts.stop, std::chrono::seconds(7));
  here.environment["MUSTER_BACKEND"] = "kubernetes";
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.backend, BackendKind::kubernetes);
  flag("backend", "local");
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.backend, BackendKind::local);
}

TEST_F(SubmissionTest, EveryFlagOfAKey_HasAVariable) {
  here.environment["MUSTER_WORKERS"] = "3";
  here.environment["MUSTER_RESTARTS_LIMIT"] = "2";
  here.environment["MUSTER_NAME"] = "";
  write("project/src/job.yaml", "command: [/bin/true]\nworkers: 5\n");
  words.command.clear();
  words.files = {(folder / "project/src/job.yaml").string()};
  auto draft = draft_job(words, here, draft_backends());
  EXPECT_EQ(draft->spec.groups.at(0).workers.count, 3u);
  EXPECT_EQ(draft->spec.restarts.limit, 2u);
  flag("workers", "4");
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.groups.at(0).workers.count, 4u);
  here.environment["MUSTER_RESTARTS_LIMIT"] = "many";
  draft = draft_job(words, here, draft_backends());
  ASSERT_EQ(draft->diagnostics.size(), 1u);
  EXPECT_EQ(draft->diagnostics[0].where.file, "MUSTER_RESTARTS_LIMIT");
}

// Otherwise a rank that runs muster itself would use values that are meant for its own job.
TEST_F(SubmissionTest, VariablesOfFlags_AreNoneOfTheRanks) {
  here.environment["MUSTER_WORKERS"] = "3";
  auto draft = draft_job(words, here, draft_backends());
  EXPECT_FALSE(complete_draft(*draft, here).environment.contains("MUSTER_WORKERS"));
  JobSpec spec;
  spec.groups = {GroupSpec{}};
  const auto told = framework_variables({spec, Plan{}, PlannedRank{}, AttemptPlace{}, ""}).over;
  for (const JobFlags::Mirror& mirror : words.flags.mirrors) {
    EXPECT_TRUE(mirror.variable.starts_with("MUSTER_")) << mirror.key;
    EXPECT_FALSE(told.contains(mirror.variable)) << mirror.variable;
    EXPECT_NE(mirror.variable, "MUSTER_SOCKET");
    EXPECT_NE(mirror.variable, "MUSTER_INDEX");
  }
}

TEST_F(SubmissionTest, VariablesOfFlags_StandInTheManual) {
  std::stringstream manual;
  manual << std::ifstream(fs::path(MUSTER_SOURCE_DIR) / "docs/reference/job-file-flags.md").rdbuf();
  for (const JobFlags::Mirror& mirror : words.flags.mirrors) {
    const std::string flag = mirror.names.substr(mirror.names.find("--"));
    EXPECT_THAT(manual.str(), HasSubstr("`" + flag + "` | `" + mirror.variable + "` |"));
    EXPECT_THAT(manual.str(), HasSubstr("| `" + mirror.key + "` | `" + mirror.names.substr(0, 2)));
  }
}

TEST_F(SubmissionTest, AVariableTheShellLacks_IsRemarked) {
  words.flags.env = {"ABSENT", "TOKEN", "A="};
  EXPECT_THAT(draft_job(words, here, draft_backends())->remarks,
              ElementsAre("-e ABSENT: not set in this shell, so the ranks do not get it"));
}

TEST_F(SubmissionTest, AFileThatCannotBeRead_IsAProblemOfTheDraft) {
  words.command.clear();
  words.files = {"absent.yaml"};
  const auto draft = draft_job(words, here, draft_backends());
  ASSERT_TRUE(draft.ok());
  EXPECT_FALSE(draft->unread.ok());
  ASSERT_EQ(draft->diagnostics.size(), 1u);
  EXPECT_EQ(draft->diagnostics[0].code, "E1013");
  EXPECT_EQ(draft->diagnostics[0].where.file, "absent.yaml");
}

TEST_F(SubmissionTest, AMissingFolderAndAMissingProgram_AreToldTogether) {
  words.command = {"nosuch"};
  flag("workdir", "/nope");
  auto draft = draft_job(words, here, draft_backends());
  EXPECT_THAT(codes(*draft), testing::UnorderedElementsAre("E1401", "E1402"));
  words.command = {"./nosuch"};
  draft = draft_job(words, here, draft_backends());
  EXPECT_THAT(codes(*draft), ElementsAre("E1402"));
}

TEST_F(SubmissionTest, TheSearchForTheProjectsFileEndsAtItsRepository) {
  write("muster.yaml", "backend: ssh\n");
  write("project/.git/HEAD", "");
  EXPECT_TRUE(read_config_layers(here, here.workdir, "")->empty());
  fs::remove_all(folder / "project/.git");
  EXPECT_EQ(read_config_layers(here, here.workdir, "")->size(), 1u);
}

TEST_F(SubmissionTest, AFilesWorkdirIsMeantFromTheFile_AFlagsFromHere) {
  write("project/jobs/job.yaml", "command: [/bin/true]\nworkdir: data\n");
  words.command.clear();
  words.files = {(folder / "project/jobs/job.yaml").string()};
  auto draft = draft_job(words, here, draft_backends());
  ASSERT_TRUE(draft.ok());
  EXPECT_EQ(draft->spec.workdir, folder / "project/jobs/data");
  EXPECT_TRUE(draft->spec.name.starts_with("jobs-")) << draft->spec.name;
  flag("workdir", "..");
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.workdir, folder / "project");
}

TEST_F(SubmissionTest, WhatThisMachineLacks_IsFoundBeforeAnythingStarts) {
  words.command = {"pyhton3", "train.py"};
  auto draft = draft_job(words, here, draft_backends());
  EXPECT_THAT(codes(*draft), ElementsAre("E1401"));
  EXPECT_THAT(draft->diagnostics[0].help, HasSubstr("python3"));
  words.command = {"./run.sh"};
  write("project/src/run.sh", "#!/bin/sh\n");
  draft = draft_job(words, here, draft_backends());
  EXPECT_THAT(codes(*draft), ElementsAre("E1401"));
  EXPECT_EQ(draft->diagnostics[0].help, "chmod +x ./run.sh");
  words.command = {"python3", "-u", "trian.py"};
  write("project/src/train.py", "");
  draft = draft_job(words, here, draft_backends());
  EXPECT_THAT(codes(*draft), ElementsAre("E1403"));
  EXPECT_EQ(draft->diagnostics[0].help, "did you mean `train.py`?");
  flag("workdir", "../scr");
  draft = draft_job(words, here, draft_backends());
  EXPECT_THAT(codes(*draft), ElementsAre("E1402"));
}

TEST_F(SubmissionTest, SecretsAreTakenHereAndTravelBesideTheSpec) {
  write("project/src/key", "from a file\n");
  write("project/src/job.yaml",
        "command: [/bin/true]\n"
        "env:\n"
        "  A: {from: \"env:TOKEN\"}\n"
        "  B: {from: \"file:key\"}\n"
        "  C: {from: \"cmd:/bin/echo two words\"}\n"
        "  D: {from: \"env:NOPE\", optional: true}\n");
  words.command.clear();
  words.files = {(folder / "project/src/job.yaml").string()};
  auto draft = draft_job(words, here, draft_backends());
  ASSERT_TRUE(draft.ok());
  here.settings = {027, {{"nofile", 777}}};
  const SubmitRequest request = complete_draft(*draft, here);
  EXPECT_EQ(request.settings, here.settings);
  EXPECT_FALSE(has_errors(draft->diagnostics));
  EXPECT_THAT(request.secrets,
              ElementsAre(std::pair("A", "geheim"), std::pair("B", "from a file"), std::pair("C", "two words")));
  EXPECT_THAT(request.spec_json, testing::Not(HasSubstr("geheim")));
  EXPECT_FALSE(request.submit_key.empty());
}

TEST_F(SubmissionTest, AMissingSecretStopsTheSubmit) {
  write("project/src/job.yaml",
        "command: [/bin/true]\nenv: {A: {from: \"env:NOPE\"}, B: {from: \"cmd:/bin/false\"}}\n");
  words.command.clear();
  words.files = {(folder / "project/src/job.yaml").string()};
  auto draft = draft_job(words, here, draft_backends());
  EXPECT_THAT(codes(*draft), ElementsAre("E1404", "E1404"));
  EXPECT_EQ(draft->diagnostics[0].where.line, 2u);
  EXPECT_EQ(draft->diagnostics[0].where.column, 7u);
}

TEST_F(SubmissionTest, ATorchScriptIsTaken_UnlessSomebodySaidOtherwise) {
  write("project/src/train.py", "import torch.distributed as dist\n");
  words.command = {"python3", "train.py", "--epochs", "2"};
  auto draft = draft_job(words, here, draft_backends());
  EXPECT_EQ(draft->spec.framework, Framework::torch);
  EXPECT_THAT(draft->remarks, ElementsAre("framework: torch (train.py imports torch.distributed)"));
  EXPECT_TRUE(draft->spec.name.starts_with("train-"));
  flag("framework", "plain");
  draft = draft_job(words, here, draft_backends());
  EXPECT_EQ(draft->spec.framework, Framework::plain);
  EXPECT_TRUE(draft->remarks.empty());
}

TEST_F(SubmissionTest, AProgramOfSeveralRanks_WithoutAKnownFramework_GetsTorchsVariablesToo) {
  flag("workers", "2");
  auto draft = draft_job(words, here, draft_backends());
  EXPECT_EQ(draft->spec.framework, Framework::any);
  EXPECT_TRUE(draft->remarks.empty());
  flag("framework", "plain");
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.framework, Framework::plain);
}

TEST_F(SubmissionTest, AProgramOfOneRank_WithoutAKnownFramework_IsPlain) {
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.framework, Framework::plain);
}

TEST_F(SubmissionTest, TheFrameworkOfAnyGroup_IsTheJobs) {
  write("project/src/learn.py", "import torch.distributed\n");
  write("project/src/job.yaml",
        "groups:\n  - {name: a, command: [/bin/true]}\n  - {name: b, command: [env, X=1, python3, learn.py]}\n");
  words.command.clear();
  words.files = {(folder / "project/src/job.yaml").string()};
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.framework, Framework::torch);
}

TEST_F(SubmissionTest, DeepSpeedBehindAWrapper_GetsNoArgument) {
  write("project/src/train.py", "import deepspeed\n");
  words.command = {"env", "X=1", "python3", "train.py"};
  EXPECT_EQ(draft_job(words, here, draft_backends())->spec.torch.local_rank, LocalRankForm::env);
}

TEST_F(SubmissionTest, AProgramInTheFilesPlace_IsExplainedAsItWasTyped) {
  write("project/src/train.py", "");
  EXPECT_EQ(source_error("train.py"), "`train.py` is not a job file; to run a program: muster run -- python3 train.py");
  words.flags.typed = {"muster", "run", "-n", "4"};
  EXPECT_EQ(source_error("train.py"),
            "`train.py` is not a job file; to run a program: muster run -n 4 -- python3 train.py");
  write("bin/python", "");
  fs::permissions(folder / "bin/python", fs::perms::owner_all);
  here.environment["PATH"] = folder / "bin";
  EXPECT_THAT(source_error("train.py"), HasSubstr("-- python train.py"));
  write("project/src/run.sh", "");
  EXPECT_THAT(source_error("run.sh"), HasSubstr("-- sh run.sh"));
  fs::permissions(folder / "project/src/run.sh", fs::perms::owner_all);
  EXPECT_THAT(source_error("run.sh"), HasSubstr("-- ./run.sh"));
  EXPECT_EQ(source_error("true"), "there is no job file `true`; to run a program: muster run -n 4 -- true");
}

TEST_F(SubmissionTest, AJobFileThatIsNotThere_IsLookedForNearby) {
  const std::string place = " in " + here.workdir;
  EXPECT_EQ(source_error("nothere.yaml"), "there is no file `nothere.yaml`" + place + "; to create one: muster init");
  write("project/src/train.yaml", "");
  EXPECT_EQ(source_error("nothere.yaml"), "there is no file `nothere.yaml`" + place + "; did you mean `train.yaml`?");
  write("project/src/eval.yaml", "");
  EXPECT_EQ(source_error("./nothere.yaml"), "there is no file `nothere.yaml`" + place + "; to create one: muster init");
  EXPECT_EQ(source_error("../src/trian.yaml"),
            "there is no file `trian.yaml`" + place + "; did you mean `../src/train.yaml`?");
}

TEST_F(SubmissionTest, AFolderThatWasRemoved_IsNoPlaceToStart) {
  here.workdir.clear();
  EXPECT_EQ(draft_job(words, here, draft_backends()).status().message(),
            "the folder you are in was removed; cd to one that is there");
}

TEST_F(SubmissionTest, AFolderCannotBeRun) {
  EXPECT_EQ(source_error("."), "`.` is a folder, not a job file; to create one: muster init -f FILE");
  write("project/src/job.yaml", "");
  EXPECT_EQ(source_error("../src"), "`../src` is a folder, not a job file; did you mean `../src/job.yaml`?");
}

TEST_F(SubmissionTest, WhatIsRunnable_BeginsWithAProgram) {
  const auto runnable = runnable_here(here);
  EXPECT_THAT(runnable({"train.py", "--lr", "1"}), ElementsAre("python3", "train.py", "--lr", "1"));
  EXPECT_THAT(runnable({"python3", "train.py"}), ElementsAre("python3", "train.py"));
  EXPECT_THAT(runnable({"job.yaml", "x"}), ElementsAre());
}

TEST_F(SubmissionTest, APlaceIsTheFlagAsItWasTyped) {
  flag("workers", "0");
  words.flags.typed = {"muster", "run", "-n0"};
  auto draft = draft_job(words, here, draft_backends());
  ASSERT_EQ(draft->diagnostics.size(), 1u);
  EXPECT_EQ(draft->diagnostics[0].where.file, "-n");
  EXPECT_EQ(draft->diagnostics[0].message, "`-n` must be auto or a whole number from 1 to 100000, not `0`");
  words.flags.typed = {"muster", "run", "--workers", "0"};
  EXPECT_EQ(draft_job(words, here, draft_backends())->diagnostics[0].where.file, "--workers");
}

TEST_F(SubmissionTest, AdviceNamesTheFlagsThatWereTyped) {
  words.flags.typed = {"muster", "run", "-n", "4"};
  flag("workers", "4");
  flag("worker.gpus", "1");
  flag("name", "nodes");
  EXPECT_EQ(
      in_typed_words("the job needs 8 GPUs (2 nodes × 4 workers), but ws1 has 2; lower nodes, workers or worker.gpus",
                     words.flags),
      "the job needs 8 GPUs (2 nodes × 4 workers), but ws1 has 2; lower nodes, -n or --gpus");
  EXPECT_EQ(in_typed_words("a; without worker.gpus it runs on CPUs", words.flags), "a; without --gpus it runs on CPUs");
  EXPECT_EQ(in_typed_words("a; my-workers, workers.x", words.flags), "a; my-workers, workers.x");
  EXPECT_EQ(in_typed_words("workers", words.flags), "workers");
}

TEST_F(SubmissionTest, AProgramIsSuggestedOnlyWhereItsFirstLetterFits) {
  write("bin/touch", "");
  write("bin/nosych", "");
  here.environment["PATH"] = folder / "bin";
  words.command = {"nosuch"};
  auto draft = draft_job(words, here, draft_backends());
  EXPECT_THAT(codes(*draft), ElementsAre("E1401"));
  EXPECT_EQ(draft->diagnostics[0].help, "did you mean `nosych`?");
  fs::remove(folder / "bin/nosych");
  draft = draft_job(words, here, draft_backends());
  EXPECT_THAT(codes(*draft), ElementsAre("E1401"));
  EXPECT_EQ(draft->diagnostics[0].help, "");
}

TEST_F(SubmissionTest, AWorkdirIsSuggestedFromTheRoot) {
  flag("workdir", folder / "projetc");
  auto draft = draft_job(words, here, draft_backends());
  EXPECT_THAT(codes(*draft), ElementsAre("E1402"));
  EXPECT_EQ(draft->diagnostics[0].help, "did you mean `" + (folder / "project").string() + "`?");
}

TEST_F(SubmissionTest, PairsWithoutTheirEqualsSign_AreErrors) {
  words.flags.set = {"restarts.limit"};
  EXPECT_EQ(draft_job(words, here, draft_backends()).status().message(), "--set needs KEY=VALUE, not `restarts.limit`");
}

TEST(ProgramWord, IsWhatAPersonWouldCallIt) {
  EXPECT_EQ(program_word({"python3", "-u", "src/train.py"}), "train");
  EXPECT_EQ(program_word({"python", "-m", "pkg.pretrain"}), "pretrain");
  EXPECT_EQ(program_word({"python", "-c", "print(1)"}), "python");
  EXPECT_EQ(program_word({"./Main.exe"}), "Main");
}

TEST(MakeJobName, FitsTheRuleWhateverTheWord) {
  Random random(1);
  for (const std::string word :
       {"train", "Über", "7b", "a_b.c", "---", "", "a-very-long-name-of-a-program-that-goes-on-and-on"}) {
    EXPECT_TRUE(is_name(make_job_name(word, random))) << make_job_name(word, random);
  }
}

TEST(PreflightCodes, AreAllExplained) {
  for (const std::string& code : preflight_codes()) EXPECT_TRUE(explain_preflight(code).has_value()) << code;
}

}  // namespace
}  // namespace muster
