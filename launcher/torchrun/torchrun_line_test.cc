// SPDX-License-Identifier: Apache-2.0
// Cases of test/frameworks/test_torchrun_flags.py, which compares with the real parser, for machines without torch.
#include "launcher/torchrun/torchrun_line.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/base/random.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;
using Kind = TorchrunLine::Kind;

TorchrunLine parsed(const Words& words, const std::map<std::string, std::string>& environment = {}) {
  return parse_torchrun(words, environment);
}

TorchrunFlags flags_of(const Words& words, const std::map<std::string, std::string>& environment = {}) {
  const TorchrunLine line = parsed(words, environment);
  EXPECT_EQ(line.kind, Kind::run) << line.wrong;
  return line.flags;
}

TEST(TorchrunLine, TakesBothSpellingsAndBothForms) {
  for (const Words& words : {Words{"--nproc-per-node", "4", "t.py"}, Words{"--nproc_per_node=4", "t.py"},
                             Words{"--nproc=4", "t.py"}, Words{"--nproc_p", "4", "t.py"}}) {
    EXPECT_EQ(flags_of(words).nproc_per_node, "4");
  }
  EXPECT_EQ(flags_of({"-r3", "t.py"}).redirects, "3");
  EXPECT_EQ(flags_of({"-r=3", "t.py"}).redirects, "3");
  EXPECT_EQ(flags_of({"--max-restarts", "-1", "t.py"}).max_restarts, -1);
}

TEST(TorchrunLine, ModulesOfTorch_AreTorchrun) {
  const auto line =
      parse_torchrun_module({"/env/bin/python3", "-u", "-m", "torch.distributed.run", "--nproc=4", "t.py"}, {});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->flags.nproc_per_node, "4");
  EXPECT_EQ(line->flags.interpreter, "/env/bin/python3");
  EXPECT_FALSE(line->flags.local_rank_argument);
  EXPECT_FALSE(parse_torchrun_module({"python3", "-m", "torch.distributed.other", "t.py"}, {}));
  EXPECT_FALSE(parse_torchrun_module({"python3", "torch.distributed.run"}, {}));
  EXPECT_FALSE(parse_torchrun_module({"runs"}, {}));
}

TEST(TorchrunLine, Launch_PassesTheLocalRankUnlessTheEnvironmentIsEnough) {
  const Words python{"python3", "-m", "torch.distributed.launch"};
  const auto launch = [&](Words words) {
    words.insert(words.begin(), python.begin(), python.end());
    return *parse_torchrun_module(words, {});
  };
  EXPECT_TRUE(launch({"--nproc_per_node", "2", "t.py"}).flags.local_rank_argument);
  EXPECT_FALSE(launch({"--use_env", "t.py"}).flags.local_rank_argument);
  EXPECT_FALSE(launch({"--nproc_per_node=2", "--use-env", "t.py", "--use-env"}).flags.local_rank_argument);
  EXPECT_EQ(launch({"--use-env", "t.py", "--use-env"}).flags.training_script_args, Words{"--use-env"});
  EXPECT_EQ(launch({"--no-python", "./t"}).kind, Kind::wrong);
  EXPECT_EQ(launch({"--no-python", "--use-env", "./t"}).kind, Kind::run);
  EXPECT_EQ(parsed({"--use-env", "t.py"}).kind, Kind::wrong) << "torchrun has no such flag";
}

TEST(TorchrunLine, LettersShareADash) {
  const TorchrunFlags flags = flags_of({"-mt", "2", "pkg"});
  EXPECT_TRUE(flags.module);
  EXPECT_EQ(flags.tee, "2");
  EXPECT_EQ(parsed({"-mx", "pkg"}).kind, Kind::wrong);
}

TEST(TorchrunLine, WhatFollowsTheScriptIsTheScripts) {
  EXPECT_EQ(flags_of({"t.py", "--nnodes", "3", "--", "--rdzv"}).training_script_args,
            (Words{"--nnodes", "3", "--", "--rdzv"}));
  EXPECT_EQ(flags_of({"t.py", "--", "-x"}).training_script_args, (Words{"-x"}));
  EXPECT_EQ(flags_of({"--", "--t.py", "--", "-x"}).training_script_args, (Words{"--", "-x"}));
  EXPECT_EQ(flags_of({"--", "--t.py"}).training_script, "--t.py");
}

TEST(TorchrunLine, VariablesFillInWhatWasNotTyped) {
  EXPECT_EQ(flags_of({"t.py"}, {{"PET_NNODES", "2:4"}}).nnodes, "2:4");
  EXPECT_EQ(flags_of({"--nnodes", "1", "t.py"}, {{"PET_NNODES", "2:4"}}).nnodes, "1");
  EXPECT_FALSE(flags_of({"t.py"}, {{"PET_STANDALONE", "0"}}).standalone);
  EXPECT_TRUE(flags_of({"t.py"}, {{"PET_STANDALONE", " 2 "}}).standalone);
  EXPECT_EQ(flags_of({"t.py"}, {{"PET_START_METHOD", "odd"}}).start_method, "odd");
  EXPECT_FALSE(flags_of({"t.py"}, {{"PET_LOGS_SPECS", "x"}}).logs_specs);
  EXPECT_EQ(parsed({"--standalone", "t.py"}, {{"PET_STANDALONE", "yes"}}).kind, Kind::wrong);
  EXPECT_EQ(parsed({"t.py"}, {{"PET_MAX_RESTARTS", ""}}).wrong,
            "the variable PET_MAX_RESTARTS wants a whole number, not ``");
}

TEST(TorchrunLine, MistakesNameTheCureWhereThereIsOne) {
  EXPECT_EQ(parsed({"--nprocs", "2", "t.py"}).wrong,
            "unknown flag `--nprocs`; did you mean `--nproc-per-node`?   all flags: muster torchrun --help");
  EXPECT_NE(parsed({"--max_restart_s=1", "t.py"}).wrong.find("did you mean `--max-restarts`?"), std::string::npos);
  EXPECT_EQ(parsed({"--ma", "1", "t.py"}).wrong, "`--ma` could be --max-restarts, --master-addr, --master-port");
  EXPECT_EQ(parsed({"--nnodes"}).wrong, "--nnodes wants a value: N|MIN:MAX");
  EXPECT_EQ(parsed({"--start-method", "threads", "t.py"}).wrong,
            "--start-method is one of spawn, fork, forkserver, not `threads`");
  EXPECT_EQ(parsed({"--standalone=1", "t.py"}).wrong, "--standalone takes no value, but got `1`");
  EXPECT_EQ(parsed({}).kind, Kind::wrong);
  EXPECT_EQ(parsed({"--standalone", "--help"}).kind, Kind::help);
  EXPECT_EQ(parsed({"--print-completion", "zsh"}).kind, Kind::completion);
}

// The parser accepts any words, and keeps the words after a script unchanged.
TEST(TorchrunLine, AnyWordsGetAnAnswer) {
  const Words pieces{"-",  "--",  "-r",      "--nnodes", "=",    "3",  "-m", "--t",  "",     "-3", "--rdzv-conf",
                     "a ", "-x=", "--tee=1", "--role",   "t.py", "-h", "é",  "\xff", "--no", "-mr"};
  Random random(7);
  for (int round = 0; round < 20000; ++round) {
    Words words;
    for (uint64_t count = random.below(6); count > 0; --count) {
      words.push_back(pieces[random.below(pieces.size())]);
      if (random.below(4) == 0) words.back() += pieces[random.below(pieces.size())];
    }
    const TorchrunLine line = parsed(words);
    if (line.kind != Kind::run) continue;
    const Words& rest = line.flags.training_script_args;
    ASSERT_LT(rest.size(), words.size());
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), words.end() - static_cast<std::ptrdiff_t>(rest.size())));
  }
}

TEST(TorchrunDocs, HaveTheTableOfFlags) {
  std::stringstream page;
  page << std::ifstream(std::string(MUSTER_SOURCE_DIR) + "/docs/reference/torchrun.md").rdbuf();
  EXPECT_NE(page.str().find(torchrun_flags_markdown()), std::string::npos)
      << "docs/reference/torchrun.md should have:\n"
      << torchrun_flags_markdown();
}

}  // namespace
}  // namespace muster
