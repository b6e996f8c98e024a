// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/kubectl.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "backends/kubernetes/cluster/kubectl_run_test.h"
#include "core/system/asio/run_until.h"

namespace muster {
namespace {

TEST_F(KubectlRun, Call_HandsItsWordsAndItsInputOver_AndBringsWhatItPrints) {
  const KubectlAccess access = stand_in("echo \"$@\"; cat");
  const auto said = run_kubectl(access, {.words = {"create", "-f", "-"}, .input = "kind: Secret\n"});
  EXPECT_EQ(*said, "--context=prod create -f -\nkind: Secret\n");
}

TEST_F(KubectlRun, MuchOfBoth_Passes) {
  const std::string much(3 << 20, 'x');
  EXPECT_EQ(run_kubectl(stand_in("cat"), {.words = {"create"}, .input = much})->size(), much.size());
}

TEST_F(KubectlRun, Failure_BringsItsSentence) {
  const auto said =
      run_kubectl(stand_in("echo 'error: You must be logged in to the server (Unauthorized)' >&2; exit 1"),
                  {.words = {"get", "pods"}});
  EXPECT_EQ(said.status().code(), Code::unauthenticated);
}

TEST_F(KubectlRun, OneThatDoesNotEnd_IsEnded) {
  const auto said =
      run_kubectl(stand_in("exec sleep 1000"), {.words = {"get", "pods"}, .patience = std::chrono::milliseconds(50)});
  EXPECT_EQ(said.status().code(), Code::unavailable);
}

TEST_F(KubectlRun, OneThatIsNotThere_IsTold) {
  const auto said = run_kubectl({folder_ + "/none", {}, {}}, {.words = {"get"}});
  EXPECT_FALSE(said.ok());
}

// Passes what it is shown on to `shown`, and lets the login of the stand-in succeed.
std::shared_ptr<KubectlPrompts> prompts(std::string& shown, const std::string& done = "") {
  return std::make_shared<KubectlPrompts>([&shown, done](std::string_view text) {
    shown += text;
    if (!done.empty()) std::ofstream(done) << "done";
  });
}

TEST_F(KubectlRun, ALogin_IsShownWhileKubectlWaitsForIt) {
  KubectlAccess access = stand_in(
      "echo 'E1123 10:28:40.150887   13227 memcache.go:265] a log line' >&2\n"
      "echo 'To sign in, open https://login.example and enter K7' >&2\n"
      "until [ -e \"$0.in\" ]; do :; done; echo '{}'");
  std::string shown;
  access.prompts = prompts(shown, access.program + ".in");
  EXPECT_EQ(*run_kubectl(access, {.words = {"get", "pods"}}), "{}\n");
  EXPECT_EQ(shown, "To sign in, open https://login.example and enter K7\n");
}

TEST_F(KubectlRun, ALogin_MayTakeLongerThanAnAnswer) {
  KubectlAccess access = stand_in("printf 'Enter the code: ' >&2; until [ -e \"$0.in\" ]; do :; done");
  std::string shown;
  access.prompts = prompts(shown);
  AsioLoop loop;
  std::optional<Result<std::string>> done;
  constexpr Duration kPatience = std::chrono::milliseconds(50);
  KubectlCall call(loop, access, {.words = {"get"}, .input_later = true, .patience = kPatience},
                   [&](Result<std::string> result) { done = std::move(result); });
  ASSERT_TRUE(run_until(loop, [&] { return shown == "Enter the code: "; }));
  call.give("");
  bool over = false;
  loop.at(loop.now() + 4 * kPatience, [&] { over = true; });
  ASSERT_TRUE(run_until(loop, [&] { return over; }));
  EXPECT_FALSE(done);
  std::ofstream(access.program + ".in") << "done";
  ASSERT_TRUE(run_until(loop, [&] { return done.has_value(); }));
  EXPECT_TRUE(done->ok());
}

TEST_F(KubectlRun, ALogin_WithoutATerminal_IsInTheError) {
  const KubectlAccess access = stand_in("echo 'To sign in, enter K7' >&2; : >\"$0.said\"; exec sleep 1000");
  AsioLoop loop;
  std::optional<Result<std::string>> done;
  KubectlCall call(loop, access, {.words = {"get"}, .input_later = true, .patience = std::chrono::milliseconds(50)},
                   [&](Result<std::string> result) { done = std::move(result); });
  ASSERT_TRUE(run_until(loop, [&] { return std::filesystem::exists(access.program + ".said"); }));
  call.give("");
  ASSERT_TRUE(run_until(loop, [&] { return done.has_value(); }));
  EXPECT_EQ(done->status().code(), Code::unavailable);
  EXPECT_NE(done->status().message().find("it printed: To sign in, enter K7; if it waits for a login"),
            std::string::npos)
      << done->status().message();
}

TEST_F(KubectlRun, WarningsOfCallsThatSucceed_AreShownOnce) {
  KubectlAccess access = stand_in("echo 'WARNING: old plugin' >&2; echo '{}'");
  std::string shown;
  access.prompts = prompts(shown);
  EXPECT_TRUE(run_kubectl(access, {.words = {"get"}}).ok());
  EXPECT_TRUE(run_kubectl(access, {.words = {"get"}}).ok());
  EXPECT_EQ(shown, "WARNING: old plugin\n");
}

TEST_F(KubectlRun, AnError_IsNotShownASecondTime) {
  KubectlAccess access = stand_in("echo 'error: no' >&2; exit 1");
  std::string shown;
  access.prompts = prompts(shown);
  EXPECT_FALSE(run_kubectl(access, {.words = {"get"}}).ok());
  EXPECT_EQ(shown, "");
}

TEST_F(KubectlRun, OneAfterAnother_HasStartedMeanwhile_AndGetsWhatTheFirstSaid) {
  const KubectlAccess access = stand_in(
      "if [ \"$2\" = second ]; then : >\"$0.up\"; cat; exit; fi\n"
      "until [ -e \"$0.up\" ]; do :; done; echo first");
  const auto said = run_kubectl_after(access, {.words = {"first"}}, {.words = {"second"}},
                                      [](const std::string& printed) { return "then " + printed; });
  EXPECT_EQ(*said, "then first\n");
}

TEST_F(KubectlRun, OneAfterAnother_GetsNothingWhereTheFirstFails) {
  const KubectlAccess access =
      stand_in("[ \"$2\" = first ] && { echo 'error: no' >&2; exit 1; }\nread line && : >\"$0.got\"");
  const auto said = run_kubectl_after(access, {.words = {"first"}}, {.words = {"second"}},
                                      [](const std::string&) { return std::string("something\n"); });
  EXPECT_EQ(said.status().code(), Code::unknown);
  EXPECT_FALSE(std::filesystem::exists(access.program + ".got"));
}

TEST_F(KubectlRun, AProgramInAPod_HasItsStdioHere) {
  AsioLoop loop;
  std::optional<HelperEnd> end;
  const KubectlAccess access = stand_in("echo \"$@\"; read line; echo \"$line\"; exit 3");
  auto exec = KubectlExec::start(loop, access, "pod-0", "coordinator", {"muster", "pod", "view"},
                                 [&](const HelperEnd& told) { end = told; });
  ASSERT_TRUE(exec.ok());
  const UniqueFd stream = (*exec)->take_stream();
  ASSERT_EQ(write(stream.get(), "hello\n", 6), 6);
  ASSERT_TRUE(run_until(loop, [&] { return end.has_value(); }));
  EXPECT_EQ(end->code, 3);
  std::string said(200, '\0');
  said.resize(static_cast<size_t>(read(stream.get(), said.data(), said.size())));
  EXPECT_EQ(said, "--context=prod exec -i pod-0 -c coordinator -- muster pod view\nhello\n");
}

}  // namespace
}  // namespace muster
