// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/kubectl.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/system/asio/run_until.h"

namespace muster {
namespace {

class KubectlRun : public testing::Test {
 protected:
  KubectlRun() {
    std::string name = (std::filesystem::temp_directory_path() / "muster-kubectl-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~KubectlRun() override { std::filesystem::remove_all(folder_); }
  KubectlAccess stand_in(const std::string& script) {
    const std::string path = folder_ + "/stand-in-kubectl";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {path, {{"PATH", "/usr/bin:/bin"}}, {"prod", ""}};
  }
  std::string folder_;
};

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
  EXPECT_EQ(said.status().code(), Code::deadline_exceeded);
}

TEST_F(KubectlRun, OneThatIsNotThere_IsTold) {
  const auto said = run_kubectl({folder_ + "/none", {}, {}}, {.words = {"get"}});
  EXPECT_FALSE(said.ok());
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
