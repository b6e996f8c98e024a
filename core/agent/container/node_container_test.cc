// SPDX-License-Identifier: Apache-2.0
// The steps until a container is open, on a host whose programs the test plays.
#include "core/agent/container/node_container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/base/text.h"

namespace muster {
namespace {

using testing::HasSubstr;

// Timers never fire; posted work runs at once.
class StillLoop final : public Loop {
 public:
  TimePoint now() const override { return {}; }
  void post(std::function<void()> work) override { work(); }
  TimerId at(TimePoint, std::function<void()> work) override {
    timer = std::move(work);
    return 1;
  }
  void cancel(TimerId) override { timer = nullptr; }
  std::function<void()> timer;
};

class PlayedHost final : public ContainerHost {
 public:
  ContainerPlace place(const std::map<std::string, std::string>&) override { return facts; }
  std::string find(const std::string& program, const std::map<std::string, std::string>&) override {
    return installed.contains(program) ? "/bin/" + program : "";
  }
  Result<std::unique_ptr<ContainerRun>> run(const std::vector<std::string>& argv,
                                            const std::map<std::string, std::string>&,
                                            ContainerRunEvents events) override {
    commands.push_back(join(argv, " "));
    events_ = std::move(events);
    return std::unique_ptr<ContainerRun>(std::make_unique<Run>(*this));
  }
  Status write_file(const std::string& path, std::string_view text) override {
    if (!disk_full) written[path] = text;
    return disk_full ? Status(Code::unavailable, "cannot write " + path + ": no space") : Status();
  }
  Result<OpenedContainer> open(int64_t pid, const std::string&) override {
    if (!may_join) return Status(Code::permission_denied, "not permitted");
    joined = pid;
    return OpenedContainer{std::make_shared<ContainerEntry>(), {{"PATH", "/opt/bin"}}};
  }
  Status remember(const std::string& name, const std::vector<std::string>&,
                  const std::map<std::string, std::string>&) override {
    remembered.insert(name);
    return Status();
  }
  void forget(const std::string& name) override { remembered.erase(name); }

  void print(const std::string& line) { events_.printed(line); }
  void say(const std::string& line) { events_.said(line); }
  void end(int code) {
    const auto ended = events_.ended;
    ended(code);
  }

  ContainerPlace facts;
  std::set<std::string> installed = {"podman"};
  std::vector<std::string> commands;
  std::set<std::string> remembered;
  int64_t joined = 0;
  std::map<std::string, std::string> written;
  bool disk_full = false;
  bool may_join = true;
  bool at_end_of_input = false;

 private:
  struct Run final : ContainerRun {
    explicit Run(PlayedHost& host) : host_(host) {}
    void end_input() override { host_.at_end_of_input = true; }
    PlayedHost& host_;
  };
  ContainerRunEvents events_;
};

class OneContainer : public testing::Test {
 protected:
  NodeContainer& with(ContainerTask task) {
    container = std::make_unique<NodeContainer>(
        loop, host, std::move(task), NodeContainerStart{"muster-j1-0-7", "a1", "/code", "/jobs/j1", {}}, [] {});
    container->open();
    return *container;
  }
  NodeContainer& opened() {
    NodeContainer& made = with({"train:7"});
    host.end(0);  // the image is there
    host.print("muster-container 4711");
    return made;
  }

  StillLoop loop;
  PlayedHost host;
  std::unique_ptr<NodeContainer> container;
};

TEST_F(OneContainer, ImageThatIsThere_IsOpenedWithoutPulling) {
  const NodeContainer& made = opened();
  EXPECT_THAT(host.commands, testing::ElementsAre("/bin/podman image exists train:7", HasSubstr("/bin/podman run ")));
  EXPECT_EQ(host.joined, 4711);
  EXPECT_EQ(made.report().phase, SetupPhase::done);
  EXPECT_NE(made.entry(), nullptr);
  EXPECT_EQ(made.environment({}).at("PATH"), "/opt/bin");
  EXPECT_TRUE(host.remembered.contains("muster-j1-0-7"));
}

TEST_F(OneContainer, ImageThatIsAbsent_IsPulledAndTheProgressIsReported) {
  const NodeContainer& made = with({"train:7"});
  host.end(1);
  EXPECT_EQ(host.commands.back(), "/bin/podman info");
  host.end(0);
  EXPECT_EQ(host.commands.back(), "/bin/podman pull docker.io/library/train:7");
  host.say("Copying blob 3 of 9");
  EXPECT_THAT(made.report().doing, HasSubstr("Copying blob 3 of 9"));
  host.end(0);
  EXPECT_THAT(host.commands.back(), HasSubstr("/bin/podman run "));
}

TEST_F(OneContainer, PullThatFails_SaysWhatTheProgramSaid) {
  const NodeContainer& made = with({"train:7"});
  host.end(1);
  EXPECT_EQ(host.commands.back(), "/bin/podman info");
  host.end(0);
  host.say("Error: manifest unknown");
  host.end(125);
  EXPECT_EQ(made.report().phase, SetupPhase::failed);
  EXPECT_THAT(made.report().failure,
              HasSubstr("in_image on a1: the image train:7 could not be fetched: Error: manifest unknown"));
}

TEST_F(OneContainer, ProgramThatDoesNotWork_IsPassedOver) {
  host.installed = {"podman", "apptainer"};
  with({"train:7"});
  host.end(125);
  host.say("Error: no subuid ranges found");
  host.end(125);
  EXPECT_THAT(host.commands.back(), HasSubstr("test -e "));
  host.installed = {"podman"};
  const NodeContainer& alone = with({"train:7"});
  host.end(125);
  host.say("Error: no subuid ranges found");
  host.end(125);
  EXPECT_THAT(alone.report().failure,
              HasSubstr("podman is installed, but `/bin/podman info` failed: Error: no subuid ranges found"));
}

TEST_F(OneContainer, Files_AreWrittenIntoTheNewFoldersBeforeItOpens) {
  ContainerTask task{"train:7", {}, {{"", "/etc/v", false}}};
  task.files = {{"/etc/v/a.json", "{}"}};
  with(task);
  host.end(0);
  EXPECT_THAT(host.commands.back(), HasSubstr("mkdir -p /jobs/j1/volumes/muster-j1-0-7/etc/v"));
  EXPECT_TRUE(host.written.empty());
  host.end(0);
  EXPECT_EQ(host.written, (std::map<std::string, std::string>{{"/jobs/j1/volumes/muster-j1-0-7/etc/v/a.json", "{}"}}));
  EXPECT_THAT(host.commands.back(), HasSubstr("/bin/podman run "));
  host.disk_full = true;
  const NodeContainer& full = with(task);
  host.end(0);
  host.end(0);
  EXPECT_THAT(full.report().failure, HasSubstr("/etc/v/a.json: no space"));
}

TEST_F(OneContainer, MountWithoutSource_NeedsAFolder) {
  container = std::make_unique<NodeContainer>(loop, host, ContainerTask{"train:7", {}, {{"", "/scratch", false}}},
                                              NodeContainerStart{"muster-j1-0-7", "a1", "/code", "", {}}, [] {});
  container->open();
  EXPECT_THAT(container->report().failure, HasSubstr("no place for the new folders of in_image.mounts"));
  EXPECT_TRUE(host.commands.empty());
}

TEST_F(OneContainer, WorkingFolderWithAColon_IsRefused) {
  container = std::make_unique<NodeContainer>(loop, host, ContainerTask{"train:7"},
                                              NodeContainerStart{"muster-j1-0-7", "a1", "/a:b", "/jobs/j1", {}}, [] {});
  container->open();
  EXPECT_THAT(container->report().failure, HasSubstr("podman cannot mount /a:b"));
}

TEST_F(OneContainer, HostWithoutPrograms_IsReportedWithTheirNames) {
  host.installed.clear();
  const NodeContainer& made = with({"train:7"});
  EXPECT_THAT(made.report().failure, HasSubstr("none of podman, docker, apptainer, enroot is in PATH"));
  EXPECT_TRUE(host.commands.empty());
}

TEST_F(OneContainer, DockerOfAUser_IsPassedOverAndExplained) {
  host.installed = {"docker", "singularity"};
  host.facts.user = 1000;
  host.facts.cache = "/cache";
  with({"train:7"});
  EXPECT_THAT(host.commands.front(), HasSubstr("test -e /cache/train_7-"));
  host.installed = {"docker"};
  EXPECT_THAT(with({"train:7"}).report().failure, HasSubstr("docker is installed, but only root can join"));
}

TEST_F(OneContainer, PathThatDoesNotExist_IsNotPulled) {
  host.installed = {"apptainer"};
  const NodeContainer& made = with({"./a.sif"});
  host.end(1);
  EXPECT_EQ(host.commands.size(), 1u);
  EXPECT_THAT(made.report().failure, HasSubstr("there is no image /code/./a.sif"));
}

TEST_F(OneContainer, ImageWithoutShell_SaysSo) {
  const NodeContainer& made = with({"train:7"});
  host.end(0);
  host.say("exec: /bin/sh: no such file or directory");
  host.end(127);
  EXPECT_THAT(made.report().failure, HasSubstr("/bin/sh: no such file or directory. The image needs /bin/sh"));
}

TEST_F(OneContainer, ContainerThatMayNotBeJoined_IsAFailure) {
  host.may_join = false;
  EXPECT_THAT(opened().report().failure, HasSubstr("cannot be joined: not permitted"));
}

TEST_F(OneContainer, ContainerThatEnds_IsOpenedAgain) {
  const NodeContainer& made = opened();
  host.end(137);
  EXPECT_EQ(made.entry(), nullptr);
  EXPECT_EQ(made.report().phase, SetupPhase::running);
  std::exchange(loop.timer, nullptr)();
  host.print("muster-container 4712");
  EXPECT_EQ(host.joined, 4712);
}

TEST_F(OneContainer, ContainerThatAlwaysEnds_IsGivenUp) {
  const NodeContainer& made = opened();
  for (int i = 1; i < 5; ++i) {
    host.end(137);
    ASSERT_EQ(made.report().phase, SetupPhase::running);
    std::exchange(loop.timer, nullptr)();
    if (i % 2 == 0) host.print("muster-container 4712");
  }
  host.end(137);
  EXPECT_THAT(made.report().failure, HasSubstr("could not be opened by /bin/podman: it exited with code 137"));
}

TEST_F(OneContainer, Close_EndsTheInputAndThenRemovesWhatIsLeft) {
  NodeContainer& made = opened();
  made.close();
  EXPECT_TRUE(host.at_end_of_input);
  EXPECT_FALSE(made.closed());
  host.end(0);
  EXPECT_EQ(host.commands.back(), "/bin/podman rm --force --ignore --time 0 muster-j1-0-7");
  host.end(0);
  EXPECT_TRUE(made.closed());
  EXPECT_TRUE(host.remembered.empty());
}

TEST_F(OneContainer, ContainerThatIgnoresItsInput_IsRemoved) {
  NodeContainer& made = opened();
  made.close();
  std::exchange(loop.timer, nullptr)();
  EXPECT_EQ(host.commands.back(), "/bin/podman rm --force --ignore --time 0 muster-j1-0-7");
  host.end(0);
  EXPECT_TRUE(made.closed());
}

TEST_F(OneContainer, CloseWhileAnImageIsPulled_EndsThePull) {
  NodeContainer& made = with({"train:7"});
  host.end(1);
  host.end(0);
  made.close();
  EXPECT_THAT(host.commands.back(), HasSubstr(" pull "));
  EXPECT_TRUE(made.closed());
}

TEST_F(OneContainer, ContainerThatCannotBeRemoved_IsReportedAndStaysRemembered) {
  NodeContainer& made = opened();
  made.close();
  host.end(0);
  host.say("Error: storage is locked");
  host.end(125);
  EXPECT_TRUE(made.closed());
  EXPECT_THAT(made.trouble(), HasSubstr("the container muster-j1-0-7 on a1 could not be removed: Error: storage is "
                                        "locked. Remove it by hand: /bin/podman rm"));
  EXPECT_TRUE(host.remembered.contains("muster-j1-0-7"));
}

}  // namespace
}  // namespace muster
