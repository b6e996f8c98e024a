// SPDX-License-Identifier: Apache-2.0
// Starts processes and checks their state and the error messages of failed starts.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/system/linux/process/process_host_fixture.h"
#include "core/system/linux/process/process_limits.h"

namespace muster {
namespace {

using SpawnTest = ProcessHostTest;

Status failure(ProcessHost& host, const SpawnRequest& request) {
  return host.spawn(request, [](const ExitStatus&) { ADD_FAILURE() << "on_exit of a process that never was"; })
      .status();
}

void make_file(const std::string& path, const std::string& text, mode_t mode) {
  std::ofstream(path) << text;
  chmod(path.c_str(), mode);
}

TEST_F(SpawnTest, OutputAndExitCode) {
  const ExitStatus status = run(shell("echo hello; echo oops >&2; exit 7"));
  EXPECT_EQ(status.kind, ExitStatus::Kind::exited);
  EXPECT_EQ(status.code, 7);
  EXPECT_EQ(output(), "hello\noops\n");
}

TEST_F(SpawnTest, OutputIsAppendedToAPrivateFile) {
  run(shell("echo one"));
  run(shell("echo two"));
  EXPECT_EQ(output(), "one\ntwo\n");
  struct stat info {};
  ASSERT_EQ(stat((folder_ + "/out").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(SpawnTest, OnExitComesInALaterTurn) {
  start(request({"true"}));
  EXPECT_TRUE(ends_.empty());
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
}

TEST_F(SpawnTest, SignalsAreReported) {
  const ExitStatus status = run(shell("ulimit -c 0; kill -SEGV $$"));
  EXPECT_EQ(status.kind, ExitStatus::Kind::signalled);
  EXPECT_EQ(status.signal, SIGSEGV);
  EXPECT_FALSE(status.core_dumped);
  EXPECT_FALSE(status.oom);
}

TEST_F(SpawnTest, InheritsOnlyItsThreeDescriptors) {
  const UniqueFd leaked(open("/etc/passwd", O_RDONLY));
  ASSERT_TRUE(leaked.valid());
  run(request({"ls", "-l", "/proc/self/fd"}));
  const std::string listing = output();
  EXPECT_NE(listing.find("0 -> /dev/null"), std::string::npos) << listing;
  EXPECT_NE(listing.find("1 -> " + folder_ + "/out"), std::string::npos) << listing;
  EXPECT_NE(listing.find("2 -> " + folder_ + "/out"), std::string::npos) << listing;
  // ls itself opens the listed folder as descriptor 3.
  EXPECT_EQ(listing.find("4 -> "), std::string::npos) << listing;
  EXPECT_EQ(listing.find("passwd"), std::string::npos) << listing;
}

TEST_F(SpawnTest, APassedDescriptor_IsItsFourth) {
  int pair[2];
  ASSERT_EQ(pipe2(pair, O_CLOEXEC), 0);
  SpawnRequest writer = shell("echo passed >&3; ls /proc/self/fd | wc -l");
  writer.passed = pair[1];
  run(writer);
  close(pair[1]);
  char text[16]{};
  EXPECT_EQ(read(pair[0], text, sizeof text), 7);
  EXPECT_STREQ(text, "passed\n");
  close(pair[0]);
  EXPECT_EQ(output(), "5\n") << "0 to 3, and that of ls";
}

TEST_F(SpawnTest, FindsNoSignalBlockedOrIgnored) {
  signal(SIGPIPE, SIG_IGN);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  run(request({"cat", "/proc/self/status"}));
  sigprocmask(SIG_SETMASK, &before, nullptr);
  signal(SIGPIPE, SIG_DFL);
  EXPECT_NE(output().find("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000000000\n"),
            std::string::npos)
      << output();
}

TEST_F(SpawnTest, IgnoredSignals_OfTheRequest_AreIgnoredByTheChildOnly) {
  SpawnRequest ignoring = request({"cat", "/proc/self/status"});
  ignoring.settings.ignored_signals = {SIGHUP, SIGUSR1};
  run(ignoring);
  EXPECT_NE(output().find("SigIgn:\t0000000000000201\n"), std::string::npos) << output();
  EXPECT_TRUE(own_settings().ignored_signals.empty());
}

TEST_F(SpawnTest, IgnoredSignals_OfThisProcess_AreFoundWithoutThoseThatProgramsIgnore) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGUSR2, SIG_IGN);
  const std::vector<uint32_t> ignored = own_settings().ignored_signals;
  signal(SIGPIPE, SIG_DFL);
  signal(SIGUSR2, SIG_DFL);
  EXPECT_EQ(ignored, std::vector<uint32_t>{SIGUSR2});
}

TEST_F(SpawnTest, EnvironmentIsCompleteAndNothingIsInherited) {
  SpawnRequest env = request({"env"});
  env.environment = {"PATH=/usr/bin", "ONLY=this"};
  run(env);
  EXPECT_EQ(output(), "PATH=/usr/bin\nONLY=this\n");
}

TEST_F(SpawnTest, LeadsItsGroupAndOnWishASession) {
  const std::string script =
      "set -- $(cut -d' ' -f1,5,6 /proc/self/stat); read p rest < /proc/$$/stat; "
      "awk '{print ($1==$5) \" \" ($1==$6)}' /proc/$$/stat";
  run(shell(script));
  EXPECT_EQ(output(), "1 0\n");
  SpawnRequest session = shell(script);
  session.own_session = true;
  session.stdout_path = folder_ + "/session";
  run(session);
  EXPECT_EQ(output("session"), "1 1\n");
}

TEST_F(SpawnTest, IsBoundToItsCpus) {
  SpawnRequest bound = request({"grep", "Cpus_allowed_list", "/proc/self/status"});
  bound.cpus = {0};
  run(bound);
  EXPECT_EQ(output(), "Cpus_allowed_list:\t0\n");
  bound.cpus = {100'000};
  EXPECT_EQ(failure(host_, bound).message(), "cannot bind to CPUs 100000: Invalid argument");
}

TEST_F(SpawnTest, HasTheSettingsItIsGiven) {
  SpawnRequest given = shell("umask; ulimit -S -n; ulimit -S -c");
  given.settings = {0777, {{"nofile", 77}, {"core", 0}, {"no-such", 1}}};
  run(given);
  EXPECT_EQ(output(), "0777\n77\n0\n");  // so the file could be opened
}

TEST_F(SpawnTest, ASoftLimitEndsAtTheHardOne) {
  SpawnRequest given = shell("test $(ulimit -S -n) = $(ulimit -H -n) && test $(ulimit -S -c) = $(ulimit -H -c)");
  given.settings.soft_limits = {{"nofile", ProcessSettings::kUnlimited}, {"core", ProcessSettings::kUnlimited}};
  EXPECT_TRUE(run(given).success());
}

// Before a host exists, which raises the limit.
struct LowOpenFiles {
  LowOpenFiles() {
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit low{99, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
  }
  ~LowOpenFiles() { setrlimit(RLIMIT_NOFILE, &before); }
  rlimit before{};
};
class SpawnAmongFewFiles : private LowOpenFiles, public ProcessHostTest {};

TEST_F(SpawnAmongFewFiles, WithoutSettingsTheUmaskIsOursAndTheOpenFilesAreThoseOfBefore) {
  const mode_t mask = umask(0121);
  std::vector<UniqueFd> many;
  while (many.size() < 120) many.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(many.back().valid());
  run(shell("umask; ulimit -S -n"));
  umask(mask);
  EXPECT_EQ(output(), "0121\n99\n");
}

TEST_F(SpawnTest, Spawn_NoOutputPath_Refused) {
  SpawnRequest nameless = request({"true"});
  nameless.stderr_path = "";
  EXPECT_EQ(failure(host_, nameless).code(), Code::invalid_argument);
  nameless.stdout_path = nameless.stderr_path = "/dev/null";
  EXPECT_TRUE(run(nameless).success());
}

TEST_F(SpawnTest, Spawn_OutputFolderMissing_Fails) {
  SpawnRequest lost = request({"touch", "ran"});
  lost.stdout_path = folder_ + "/attempt-2/worker-0.out";
  EXPECT_NE(failure(host_, lost).message().find("cannot write output to " + folder_ + "/attempt-2"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/ran"));
}

TEST_F(SpawnTest, ProgramThatIsNotInPath) {
  const Status status = failure(host_, request({"pythn"}));
  EXPECT_EQ(status.code(), Code::not_found);
  EXPECT_EQ(status.message(), "`pythn` was not found in PATH (/usr/bin:/bin)");
}

TEST_F(SpawnTest, ProgramThatDoesNotExist) {
  EXPECT_EQ(failure(host_, request({"./train"})).message(), "`./train` does not exist in " + folder_);
  EXPECT_EQ(failure(host_, request({"/no/such"})).message(), "`/no/such` does not exist");
  EXPECT_EQ(failure(host_, request({})).message(), "the command is empty");
}

TEST_F(SpawnTest, ProgramThatMayNotBeExecuted) {
  make_file(folder_ + "/train", "#!/bin/sh\n", 0600);
  const Status status = failure(host_, request({"./train"}));
  EXPECT_EQ(status.code(), Code::permission_denied);
  EXPECT_NE(status.message().find("`./train` cannot be executed: permission denied"), std::string::npos);
  EXPECT_EQ(failure(host_, request({folder_})).message(), "`" + folder_ + "` is a folder, not a program");
}

TEST_F(SpawnTest, AProgramThatMayNotBeExecutedIsPassedOverInPath) {
  make_file(folder_ + "/true", "", 0600);
  SpawnRequest next = request({"true"});
  next.environment = {"PATH=" + folder_ + ":/usr/bin"};
  EXPECT_TRUE(run(next).success());
  next.environment = {"PATH=" + folder_};
  EXPECT_EQ(failure(host_, next).code(), Code::permission_denied);
}

TEST_F(SpawnTest, ScriptWithoutItsFirstLineAndScriptWithAMissingInterpreter) {
  make_file(folder_ + "/bare", "echo hello\n", 0755);
  EXPECT_EQ(failure(host_, request({"./bare"})).message(),
            "`./bare` cannot be executed: exec format error: is it a script without a #! line, or built for another "
            "machine?");
  make_file(folder_ + "/lost", "#! /usr/bin/pythn -u\n", 0755);
  EXPECT_EQ(failure(host_, request({"./lost"})).message(),
            "`./lost` asks for `/usr/bin/pythn` in its #! line, which does not exist");
}

TEST_F(SpawnTest, WorkdirThatIsMissingOrNoFolder) {
  SpawnRequest lost = request({"true"});
  lost.workdir = folder_ + "/no";
  EXPECT_EQ(failure(host_, lost), Status(Code::not_found, "workdir " + folder_ + "/no does not exist"));
  make_file(folder_ + "/file", "", 0600);
  lost.workdir = folder_ + "/file";
  EXPECT_EQ(failure(host_, lost), Status(Code::not_found, "workdir " + folder_ + "/file is not a folder"));
}

TEST_F(SpawnTest, OutputThatCannotBeWritten) {
  SpawnRequest lost = request({"true"});
  lost.stderr_path = folder_ + "/no/err";
  EXPECT_EQ(failure(host_, lost).message(), "cannot write output to " + folder_ + "/no/err: No such file or directory");
}

TEST_F(SpawnTest, ArgumentsThatAreTooLong) {
  const Status status = failure(host_, request({"true", std::string(3 << 20, 'x')}));
  EXPECT_EQ(status.code(), Code::resource_exhausted);
  EXPECT_NE(status.message().find("arguments and environment take 3 MiB; this system takes at most"), std::string::npos)
      << status.message();
}

TEST_F(SpawnTest, FailuresLeaveNothingBehind) {
  for (int i = 0; i < 100; ++i) static_cast<void>(failure(host_, request({"pythn"})));
  EXPECT_EQ(sweep(), 0u);
  std::vector<std::filesystem::path> open_files;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) open_files.push_back(entry.path());
  EXPECT_LT(open_files.size(), 50u);
}

TEST_F(SpawnTest, TwoHundredAtOnce) {
  for (int i = 0; i < 200; ++i) start(shell("read x < /proc/self/stat; exit " + std::to_string(i % 100)));
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 200; }));
  int sum = 0;
  for (const ExitStatus& status : ends_) sum += status.code;
  EXPECT_EQ(sum, 2 * 99 * 100 / 2);
}

}  // namespace
}  // namespace muster
