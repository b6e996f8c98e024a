// SPDX-License-Identifier: Apache-2.0
// The command lines of all four programs, as texts.
#include "core/agent/container/container_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/text.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ContainerOrder order_of(ContainerProgram program) {
  ContainerOrder order;
  order.program = program;
  order.path = "/usr/bin/" + std::string(to_string(program));
  order.name = "muster-j1-0-7";
  order.task.image = "registry.example/train:7";
  order.task.mounts = {{"/data", "/mnt", true}};
  order.workdir = "/home/mia/train";
  order.place.user = 1000;
  order.place.group = 100;
  order.place.user_name = "mia";
  order.place.home = "/home/mia";
  order.place.cache = "/home/mia/.cache/muster/images";
  order.place.folders = {"/tmp/muster-1000", "/var/lib/muster"};
  return order;
}

std::string text(const std::vector<std::string>& words) { return join(words, " "); }

constexpr const char* kKeeper = "-c echo muster-container $$; while read -r line; do :; done muster-j1-0-7";

TEST(ContainerCommands, Podman_KeepsTheIdOfTheUser) {
  const ContainerCommands commands = container_commands(order_of(ContainerProgram::podman));
  EXPECT_EQ(text(commands.check), "/usr/bin/podman image exists registry.example/train:7");
  EXPECT_EQ(text(commands.pull), "/usr/bin/podman pull registry.example/train:7");
  EXPECT_EQ(text(commands.open),
            "/usr/bin/podman run --rm --interactive --name muster-j1-0-7 --pull=never --pid=host --network=host "
            "--security-opt=label=disable --log-driver=none --userns=keep-id --user 1000:100 --workdir / "
            "--volume=/dev/shm:/dev/shm --volume=/data:/mnt:ro --volume=/tmp:/tmp --volume=/home/mia:/home/mia "
            "--volume=/var/lib/muster:/var/lib/muster --entrypoint /bin/sh registry.example/train:7 " +
                std::string(kKeeper));
  EXPECT_EQ(text(commands.remove), "/usr/bin/podman rm --force --ignore --time 0 muster-j1-0-7");
}

TEST(ContainerCommands, PodmanOfRoot_NeedsNoUserNamespace) {
  ContainerOrder order = order_of(ContainerProgram::podman);
  order.place.user = order.place.group = 0;
  EXPECT_THAT(container_commands(order).open, Not(testing::Contains("--userns=keep-id")));
}

TEST(ContainerCommands, Docker_HasItsOwnWords) {
  ContainerOrder order = order_of(ContainerProgram::docker);
  order.place.user = order.place.group = 0;
  const ContainerCommands commands = container_commands(order);
  EXPECT_EQ(text(commands.check), "/usr/bin/docker image inspect --format {{.Id}} registry.example/train:7");
  EXPECT_EQ(text(commands.pull), "/usr/bin/docker pull registry.example/train:7");
  EXPECT_EQ(text(commands.open),
            "/usr/bin/docker run --rm --interactive --name muster-j1-0-7 --pull=never --pid=host --network=host "
            "--security-opt=label=disable --log-driver=none --user 0:0 --workdir / --volume=/dev/shm:/dev/shm "
            "--volume=/data:/mnt:ro --volume=/tmp:/tmp --volume=/home/mia:/home/mia "
            "--volume=/var/lib/muster:/var/lib/muster --entrypoint /bin/sh registry.example/train:7 " +
                std::string(kKeeper));
  EXPECT_EQ(text(commands.remove), "/usr/bin/docker rm --force muster-j1-0-7");
}

TEST(ContainerCommands, Apptainer_PullsIntoAFile) {
  const ContainerCommands commands = container_commands(order_of(ContainerProgram::apptainer));
  const std::string file = "/home/mia/.cache/muster/images/registry.example_train_7-83d2a5ee.sif";
  EXPECT_EQ(text(commands.check), "test -e " + file);
  EXPECT_EQ(commands.pull_text, "/usr/bin/apptainer pull --force " + file + " docker://registry.example/train:7");
  EXPECT_THAT(text(commands.pull), HasSubstr("/usr/bin/apptainer pull --force " + file +
                                             ".muster-j1-0-7.part docker://registry.example/train:7"));
  EXPECT_EQ(
      text(commands.open),
      "/usr/bin/apptainer exec --cleanenv --no-home --no-mount cwd,tmp --pwd / --userns --bind /data:/mnt:ro --bind "
      "/tmp:/tmp --bind /home/mia:/home/mia --bind /var/lib/muster:/var/lib/muster " +
          file + " /bin/sh " + kKeeper);
  EXPECT_TRUE(commands.remove.empty());
}

TEST(ContainerCommands, ApptainerWithAPath_OpensItAndFetchesNothing) {
  ContainerOrder order = order_of(ContainerProgram::apptainer);
  for (const auto& [image, file] : {std::pair("./a.sif", "/home/mia/train/./a.sif"), {"~/a.sif", "/home/mia/a.sif"}}) {
    order.task.image = image;
    const ContainerCommands commands = container_commands(order);
    EXPECT_THAT(commands.check, ElementsAre("test", "-e", file));
    EXPECT_TRUE(commands.pull.empty());
    EXPECT_THAT(commands.open, testing::Contains(file));
  }
}

TEST(ContainerCommands, Enroot_ImportsIntoAFile) {
  const ContainerCommands commands = container_commands(order_of(ContainerProgram::enroot));
  const std::string file = "/home/mia/.cache/muster/images/registry.example_train_7-83d2a5ee.sqsh";
  EXPECT_EQ(commands.pull_text, "/usr/bin/enroot import --output " + file + " docker://registry.example#train:7");
  EXPECT_EQ(text(commands.open),
            "/usr/bin/enroot start --mount /data:/mnt:none:rbind,x-create=auto,ro --mount "
            "/tmp:/tmp:none:rbind,x-create=auto --mount /home/mia:/home/mia:none:rbind,x-create=auto --mount "
            "/var/lib/muster:/var/lib/muster:none:rbind,x-create=auto " +
                file + " /bin/sh " + kKeeper);
}

TEST(ContainerCommands, Gpus_AreGivenByEachProgramInItsWay) {
  const auto opened = [](ContainerProgram program, bool nvidia) {
    ContainerOrder order = order_of(program);
    order.task.gpus = true;
    order.place.nvidia = nvidia;
    order.place.devices = {"/dev/infiniband"};
    return text(container_commands(order).open);
  };
  EXPECT_THAT(opened(ContainerProgram::podman, true),
              HasSubstr("--device=/dev/infiniband --device=nvidia.com/gpu=all"));
  EXPECT_THAT(opened(ContainerProgram::docker, true), HasSubstr("--gpus=all"));
  EXPECT_THAT(opened(ContainerProgram::apptainer, true), HasSubstr("--nv"));
  EXPECT_THAT(opened(ContainerProgram::enroot, true), HasSubstr("--env NVIDIA_VISIBLE_DEVICES=all"));
  for (const auto program : {ContainerProgram::podman, ContainerProgram::docker, ContainerProgram::apptainer})
    EXPECT_THAT(opened(program, false), Not(HasSubstr("nvidia")));
}

TEST(ContainerCommands, NameWithoutRegistry_IsPulledFromDockerHub) {
  ContainerOrder order = order_of(ContainerProgram::podman);
  order.task.image = "pytorch/pytorch:2.5";
  EXPECT_EQ(container_commands(order).pull.back(), "docker.io/pytorch/pytorch:2.5");
  order.task.image = "docker://ubuntu";
  EXPECT_EQ(container_commands(order).pull.back(), "docker.io/library/ubuntu");
  order.task.image = "localhost/a";
  EXPECT_EQ(container_commands(order).pull.back(), "localhost/a");
}

TEST(ContainerMounts, MountWithoutSource_IsAFolderOfTheJobThatIsRemoved) {
  ContainerOrder order = order_of(ContainerProgram::podman);
  order.task.mounts = {{"", "/scratch", false}};
  order.scratch = "/jobs/j1/volumes/c";
  const ContainerCommands commands = container_commands(order);
  EXPECT_EQ(text(commands.prepare), "mkdir -p /jobs/j1/volumes/c/scratch");
  EXPECT_THAT(commands.open, testing::Contains("--volume=/jobs/j1/volumes/c/scratch:/scratch"));
  EXPECT_EQ(commands.discard.back(), "/jobs/j1/volumes/c");
  EXPECT_THAT(text(commands.discard), HasSubstr("rm -rf -- \"$1\""));
}

TEST(ContainerMounts, PathWithASeparator_IsRefused) {
  ContainerOrder order = order_of(ContainerProgram::podman);
  EXPECT_EQ(unmountable(order), "");
  order.workdir = "/data/a,b";
  EXPECT_EQ(unmountable(order), "");
  order.program = ContainerProgram::apptainer;
  EXPECT_THAT(unmountable(order), HasSubstr("apptainer cannot mount /data/a,b: its name contains `,`"));
  order.program = ContainerProgram::docker;
  order.workdir = "/data/a:b";
  EXPECT_THAT(unmountable(order), HasSubstr("docker cannot mount /data/a:b"));
}

TEST(ContainerCommands, FilesOfImages_DifferIfTheirNamesDiffer) {
  ContainerOrder order = order_of(ContainerProgram::apptainer);
  order.task.image = "a/b";
  const std::string first = container_commands(order).check.back();
  order.task.image = "a_b";
  EXPECT_NE(container_commands(order).check.back(), first);
}

TEST(ContainerMounts, FolderBelowAnother_IsLeftOut) {
  ContainerOrder order = order_of(ContainerProgram::podman);
  order.task.mounts = {{"~/sets", "/sets", false}};
  std::vector<std::string> texts;
  for (const ContainerMount& mount : container_mounts(order)) texts.push_back(to_string(mount));
  EXPECT_THAT(texts, ElementsAre("/tmp", "/home/mia/sets:/sets", "/home/mia", "/var/lib/muster"));
}

TEST(ContainerMounts, MountOfTheUserAtTheSameTarget_Wins) {
  ContainerOrder order = order_of(ContainerProgram::podman);
  order.task.mounts = {{"/scratch/mia", "/tmp", false}};
  std::vector<std::string> texts;
  for (const ContainerMount& mount : container_mounts(order)) texts.push_back(to_string(mount));
  EXPECT_THAT(texts, ElementsAre("/scratch/mia:/tmp", "/home/mia", "/var/lib/muster", "/tmp/muster-1000"));
}

TEST(ProgramsFor, PathOfAnImage_IsForTheProgramOfItsFormat) {
  EXPECT_THAT(programs_for({"a"}), ElementsAre(ContainerProgram::podman, ContainerProgram::docker,
                                               ContainerProgram::apptainer, ContainerProgram::enroot));
  EXPECT_THAT(programs_for({"./a.sif"}), ElementsAre(ContainerProgram::apptainer));
  EXPECT_THAT(programs_for({"/a.sqsh"}), ElementsAre(ContainerProgram::enroot));
  EXPECT_THAT(programs_for({"a", ContainerProgram::docker}), ElementsAre(ContainerProgram::docker));
}

TEST(Unusable, DockerOfAUserAndGpusWithoutCdi_AreExplained) {
  ContainerPlace place;
  EXPECT_EQ(unusable(ContainerProgram::docker, {}, place), "");
  place.user = 1000;
  EXPECT_THAT(unusable(ContainerProgram::docker, {}, place), HasSubstr("only root"));
  ContainerTask task;
  task.gpus = true;
  place.nvidia = true;
  EXPECT_THAT(unusable(ContainerProgram::podman, task, place), HasSubstr("nvidia-ctk cdi generate"));
  place.cdi = true;
  EXPECT_EQ(unusable(ContainerProgram::podman, task, place), "");
}

TEST(ContainerEnvironment, ImageWins_ExceptForUserAndTuning) {
  ContainerPlace place;
  place.home = "/home/mia";
  place.user_name = "mia";
  const auto environment =
      container_environment({{"PATH", "/opt/bin"}, {"HOSTNAME", "x"}, {"HOME", "/root"}, {"container", "podman"}},
                            {{"PATH", "/usr/bin"}, {"NCCL_DEBUG", "INFO"}, {"TERM", "xterm"}, {"EDITOR", "vi"}}, place);
  EXPECT_THAT(environment,
              testing::UnorderedElementsAre(testing::Pair("PATH", "/opt/bin"), testing::Pair("HOME", "/home/mia"),
                                            testing::Pair("USER", "mia"), testing::Pair("LOGNAME", "mia"),
                                            testing::Pair("PYTHONNOUSERSITE", "1"), testing::Pair("NCCL_DEBUG", "INFO"),
                                            testing::Pair("TERM", "xterm")));
}

}  // namespace
}  // namespace muster
