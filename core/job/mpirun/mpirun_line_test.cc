// SPDX-License-Identifier: Apache-2.0
#include "core/job/mpirun/mpirun_line.h"

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;

MpirunFlags flags_of(const Words& words) {
  const MpirunLine line = parse_mpirun(words);
  EXPECT_FALSE(line.problem) << line.problem->message;
  return line.flags;
}

MpirunApp app_of(const Words& words) {
  const MpirunFlags flags = flags_of(words);
  EXPECT_EQ(flags.apps.size(), 1u);
  return flags.apps.empty() ? MpirunApp() : flags.apps.front();
}

std::string problem_of(const Words& words) {
  const MpirunLine line = parse_mpirun(words);
  return line.problem ? line.problem->code + ": " + line.problem->message : "";
}

TEST(MpirunLine, Ranks_InEverySpelling_AreTheSame) {
  for (const char* name : {"-n", "--n", "-np", "--np", "-c"}) {
    const MpirunApp app = app_of({name, "4", "./heat", "-n", "9"});
    EXPECT_EQ(app.ranks, 4u) << name;
    EXPECT_EQ(app.command, (Words{"./heat", "-n", "9"}));
  }
  EXPECT_EQ(app_of({"--np=3", "a"}).ranks, 3u);
  EXPECT_EQ(app_of({"-n", "1", "-n", "2", "a"}).ranks, 2u);
  EXPECT_EQ(app_of({"a"}).ranks, std::nullopt);
}

TEST(MpirunLine, Colon_SeparatesPrograms) {
  const MpirunFlags flags = flags_of({"-np", "1", "-x", "A=1", "a", "b", ":", "-np", "2", "-wdir", "/tmp", "c", ":"});
  ASSERT_EQ(flags.apps.size(), 2u);
  EXPECT_EQ(flags.apps[0].command, (Words{"a", "b"}));
  EXPECT_EQ(flags.apps[0].variables, (Words{"A=1"}));
  EXPECT_EQ(flags.apps[1].command, (Words{"c"}));
  EXPECT_EQ(flags.apps[1].workdir, "/tmp");
}

TEST(MpirunLine, Hosts_AreSplitAtCommas) {
  EXPECT_EQ(app_of({"-H", "a1:2,a2", "--host", "a3", "p"}).hosts, (Words{"a1:2", "a2", "a3"}));
  for (const char* name : {"-hostfile", "--hostfile", "-machinefile", "--machinefile", "-f"})
    EXPECT_EQ(app_of({name, "hosts", "p"}).hostfiles, (Words{"hosts"})) << name;
}

TEST(MpirunLine, Environment_OfBothLaunchers_IsKept) {
  const MpirunFlags flags = flags_of({"-genv", "A", "1", "-env", "B", "x y", "-genvlist", "C,D", "-x", "E", "p"});
  EXPECT_EQ(flags.variables, (Words{"A=1", "C", "D"}));
  EXPECT_EQ(flags.apps[0].variables, (Words{"B=x y", "E"}));
}

TEST(MpirunLine, Genv_TakesOneWordOrTwo) {
  const MpirunFlags flags = flags_of({"-genv", "I_MPI_DEBUG=6", "-genv", "A", "x=y", "-env", "B=1", "-np", "2", "p"});
  EXPECT_EQ(flags.variables, (Words{"I_MPI_DEBUG=6", "A=x=y"}));
  EXPECT_EQ(flags.apps[0].variables, (Words{"B=1"}));
  EXPECT_EQ(flags.apps[0].ranks, 2u);
}

TEST(MpirunLine, Mca_BecomesAVariable) {
  const MpirunFlags flags = flags_of({"--mca", "btl", "self,tcp", "-mca", "pml", "ob1", "--prtemca", "a", "1", "p"});
  EXPECT_EQ(flags.variables, (Words{"OMPI_MCA_btl=self,tcp", "OMPI_MCA_pml=ob1", "PRTE_MCA_a=1"}));
  EXPECT_EQ(problem_of({"--mca", "btl", "tcp", "--mca", "btl", "self", "p"}),
            "E1702: --mca: the parameter btl is set twice, to different values");
}

TEST(MpirunLine, Output_OfBothLaunchers) {
  EXPECT_EQ(flags_of({"--tag-output", "p"}).tag, MpirunTag::open_mpi);
  EXPECT_EQ(flags_of({"-l", "p"}).tag, MpirunTag::hydra);
  EXPECT_EQ(flags_of({"-prepend-rank", "p"}).tag, MpirunTag::hydra);
  EXPECT_EQ(flags_of({"--output", "tag,timestamp", "p"}).tag, MpirunTag::open_mpi);
  EXPECT_TRUE(flags_of({"--output", "tag,timestamp", "p"}).times);
  EXPECT_EQ(flags_of({"--output-filename", "out:nocopy", "p"}).output_folder, "out:nocopy");
}

TEST(MpirunLine, Ignored_IsNotedOnce) {
  const MpirunFlags flags = flags_of({"--report-bindings", "--report-bindings", "--allow-run-as-root", "p"});
  EXPECT_EQ(flags.ignored,
            (Words{"--report-bindings has no effect: `muster describe JOB` shows hosts and CPUs of the ranks"}));
}

TEST(MpirunLine, WrongWords_AreRefused) {
  EXPECT_EQ(problem_of({"--oversubscrib", "p"}),
            "E1701: unknown flag `--oversubscrib`; did you mean `--oversubscribe`?");
  EXPECT_EQ(problem_of({"--foo", "p"}), "E1701: unknown flag `--foo`");
  EXPECT_EQ(problem_of({"-np", "x", "p"}), "E1702: -np: `x` is not a whole number from 0 to 100000");
  EXPECT_EQ(problem_of({"-np", "-1", "p"}), "E1702: -np: `-1` is not a whole number from 0 to 100000");
  EXPECT_EQ(problem_of({"-np"}), "E1702: -np wants a value");
  EXPECT_EQ(problem_of({"--oversubscribe=1", "p"}), "E1702: --oversubscribe takes no value");
  EXPECT_EQ(problem_of({"--rankfile", "f", "p"}), "E1703: --rankfile is not available: muster does not have it");
  EXPECT_EQ(problem_of({"-x", "=2", "p"}), "E1702: -x: `` is not the name of a variable");
  EXPECT_EQ(problem_of({}), "E1706: there is no program to run");
  EXPECT_EQ(problem_of({"-np", "2"}), "E1706: there is no program to run");
  EXPECT_EQ(problem_of({"-np", "2", ":", "p"}), "E1706: there is no program to run");
}

TEST(MpirunLine, Problem_HasTheIndexOfItsWord) {
  EXPECT_EQ(parse_mpirun({"-np", "2", "--foo", "p"}).problem_word, 2u);
  EXPECT_EQ(parse_mpirun({"-np", "x", "p"}).problem_word, 0u);
  EXPECT_EQ(parse_mpirun({"-np", "2"}).problem_word, 2u);
}

TEST(MpirunLine, DashDash_EndsFlags) { EXPECT_EQ(app_of({"-np", "1", "--", "-p", "x"}).command, (Words{"-p", "x"})); }

TEST(MpirunLine, Help_NeedsNoProgram) {
  EXPECT_TRUE(flags_of({"--help"}).help);
  EXPECT_TRUE(flags_of({"-V"}).version);
  EXPECT_TRUE(flags_of({"--shim"}).shim);
}

TEST(MpirunAppfile, EachLine_IsAProgram) {
  MpirunFlags typed = flags_of({"--app", "apps", "--tag-output"});
  EXPECT_EQ(typed.appfile, "apps");
  const MpirunLine line = with_appfile(typed, "# programs\n-np 2 ./a \"x y\"\n\n-np 1 -x A=1 ./b # last\n", "apps");
  ASSERT_FALSE(line.problem) << line.problem->message;
  ASSERT_EQ(line.flags.apps.size(), 2u);
  EXPECT_EQ(line.flags.apps[0].command, (Words{"./a", "x y"}));
  EXPECT_EQ(line.flags.apps[1].variables, (Words{"A=1"}));
  EXPECT_EQ(line.flags.tag, MpirunTag::open_mpi);
}

TEST(MpirunAppfile, Problems_HaveTheirLine) {
  const MpirunLine unknown = with_appfile({}, "-np 1 a\n-np 1 --nope b\n", "apps");
  ASSERT_TRUE(unknown.problem);
  EXPECT_EQ(unknown.problem->code, "E1701");
  EXPECT_EQ(unknown.problem->where.file, "apps");
  EXPECT_EQ(unknown.problem->where.line, 2u);
  EXPECT_EQ(with_appfile({}, "a 'b\n", "apps").problem->code, "E1708");
  EXPECT_EQ(with_appfile({}, "# nothing\n", "apps").problem->code, "E1708");
}

// The parser answers any words, and keeps the words after a program unchanged.
TEST(MpirunLine, AnyWords_GetAnAnswer) {
  const Words pieces{"-",     "--",   "-np", "-n",    "4",     ":",        "=",    "-x",        "A=1",
                     "--mca", "btl",  "-H",  "a1:2",  ",",     "--map-by", "node", "p",         "",
                     "-f",    "\xff", "é",   "-genv", "--app", "-l",       "--",   "--bind-to", "core"};
  Random random(7);
  for (int round = 0; round < 20000; ++round) {
    Words words;
    for (uint64_t count = random.below(7); count > 0; --count) words.push_back(pieces[random.below(pieces.size())]);
    const MpirunLine line = parse_mpirun(words);
    if (line.problem) {
      EXPECT_FALSE(line.problem->message.empty());
      EXPECT_TRUE(line.problem->code.starts_with("E170")) << line.problem->code;
      continue;
    }
    for (const MpirunApp& app : line.flags.apps) EXPECT_FALSE(app.command.empty());
  }
}

}  // namespace
}  // namespace muster
