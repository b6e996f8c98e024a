// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/host_choice.h"
#include "launcher/composition/draft_backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class HostChoiceTest : public testing::Test {
 protected:
  HostChoiceTest() {
    std::string pattern = (fs::temp_directory_path() / "muster-hosts-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    here.workdir = folder;
    here.environment = {{"HOME", folder / "home"}, {"PATH", "/usr/bin:/bin"}};
  }
  ~HostChoiceTest() override { fs::remove_all(folder); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }
  void flag(const std::string& key, const std::string& value) {
    for (JobFlags::Mirror& mirror : words.flags.mirrors) {
      if (mirror.key == key) mirror.value = value;
    }
  }
  JobDraft drafted(const std::string& job = "") {
    write("job.yaml", job + "\ncommand: [/bin/true]\n");
    words.files = {folder / "job.yaml"};
    auto draft = draft_job(words, here, draft_backends());
    EXPECT_TRUE(draft.ok()) << draft.status().message();
    return draft.ok() ? *draft : JobDraft{};
  }
  static std::vector<std::string> problems(const JobDraft& draft) {
    std::vector<std::string> texts;
    for (const Diagnostic& each : draft.diagnostics)
      texts.push_back(each.code + " " + fs::path(each.where.file).filename().string() + ":" +
                      std::to_string(each.where.line));
    return texts;
  }

  fs::path folder;
  CallerContext here;
  JobWords words;
};

TEST_F(HostChoiceTest, HostsThatAreTypedMeanSsh) {
  flag("hosts", "a1,a2:4");
  const JobDraft draft = drafted();
  EXPECT_THAT(problems(draft), IsEmpty());
  EXPECT_EQ(draft.spec.backend, BackendKind::ssh);
  EXPECT_THAT(draft.spec.hosts, ElementsAre(HostSpec{"a1"}, HostSpec{"a2", 4}));
  EXPECT_THAT(draft.remarks, Contains("backend: ssh (hosts were given)"));
  EXPECT_EQ(draft.spec.groups[0].min_nodes, 2u) << "one node per host";
}

TEST_F(HostChoiceTest, HostsAndAnotherBackendContradictEachOther) {
  flag("hosts", "a1");
  flag("backend", "local");
  EXPECT_THAT(problems(drafted()), ElementsAre("E1406 --hosts:0"));
  words = {};
  EXPECT_THAT(problems(drafted("hosts: [a1]\nbackend: local")), ElementsAre("E1406 job.yaml:1"));
  EXPECT_THAT(problems(drafted("hosts: [a1]")), ElementsAre("E1406 job.yaml:1"));
  EXPECT_THAT(problems(drafted("hosts: [a1]\nbackend: ssh")), IsEmpty());
  flag("backend", "local");
  const JobDraft here_after_all = drafted("hosts: [a1]\nbackend: ssh");
  EXPECT_THAT(problems(here_after_all), IsEmpty()) << "the same file can run on this machine";
  EXPECT_THAT(here_after_all.spec.hosts, IsEmpty());
}

TEST_F(HostChoiceTest, HostsOfConfigurationAreForJobsThatWantThem) {
  write("muster.yaml", "hosts: [a1, a2]\n");
  EXPECT_THAT(problems(drafted()), IsEmpty());
  EXPECT_EQ(drafted().spec.backend, BackendKind::local);
  flag("backend", "ssh");
  EXPECT_EQ(drafted("nodes: 1").spec.hosts.size(), 2u);
  EXPECT_EQ(drafted("nodes: 1").spec.groups[0].max_nodes, 1u) << "as the file says";
}

TEST_F(HostChoiceTest, TheSshBackendWantsHosts) {
  EXPECT_THAT(problems(drafted("backend: ssh")), ElementsAre("E1407 job.yaml:1"));
}

TEST_F(HostChoiceTest, AFileOfHostsIsReadWithItsLines) {
  write("rack", "# mine\na1 slots=2\na2\n");
  words.flags.hostfile = "rack";
  EXPECT_THAT(drafted().spec.hosts, ElementsAre(HostSpec{"a1", 2}, HostSpec{"a2"}));
  write("rack", "a1\na1\na2 slots=0\n");
  EXPECT_THAT(problems(drafted()), ElementsAre("E1503 rack:2", "E1502 rack:3"));
  write("rack", "\n# nobody\n");
  EXPECT_THAT(problems(drafted()), ElementsAre("E1504 rack:1"));
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "a" + std::to_string(i) + "\n";
  write("rack", many);
  EXPECT_THAT(problems(drafted()), ElementsAre("E1505 rack:1"));
}

TEST_F(HostChoiceTest, VariablesGiveWayToFlags) {
  write("rack", "b1\n");
  here.environment["MUSTER_HOSTFILE"] = "rack";
  EXPECT_THAT(drafted().spec.hosts, ElementsAre(HostSpec{"b1"}));
  flag("hosts", "a1");
  EXPECT_THAT(drafted().spec.hosts, ElementsAre(HostSpec{"a1"}));
  words.flags.hostfile = "rack";
  const auto both = draft_job(words, here, draft_backends());
  EXPECT_EQ(both.status().message(), "--hosts and --hostfile both name hosts; choose one");
  words = {};
  words.flags.hostfile = "absent";
  words.command = {"/bin/true"};
  EXPECT_EQ(draft_job(words, here, draft_backends()).status().code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster
