// SPDX-License-Identifier: Apache-2.0
// The command lines by which podman, docker, apptainer and enroot open an image, and the environment of processes in it. Pure.
//
// A container only keeps the image's file system open: its first process is a shell that reads its stdin until the end of file.
// Ranks are processes of the agent that join its mount namespace (ContainerEntry). So pids, network, /dev/shm, limits and cgroups
// are those of the host.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/container_host.h"
#include "core/port/setup_messages.h"

namespace muster {

// The first process of a container prints this word and its pid.
inline constexpr const char* kContainerOpen = "muster-container";

struct ContainerOrder {
  ContainerProgram program = ContainerProgram::automatic;  // not automatic
  std::string path;                                        // of the program on the host
  std::string name;                                        // of the container, unique on the host
  ContainerTask task;
  std::string workdir;  // absolute; visible in the container at the same path
  std::string scratch;  // absolute; for the folders of mounts without a source
  ContainerPlace place;
};

struct ContainerCommands {
  std::vector<std::string> check;    // exits with 0 if the image is on the host
  std::vector<std::string> probe;    // exits with 0 if the program can be used at all; empty: there is no such command
  std::vector<std::string> pull;     // fetches it; empty: it is a path, so there is nothing to fetch
  std::string pull_text;             // the same as a user would type it
  std::vector<std::string> prepare;  // makes the folders of mounts without a source; empty: there are none
  std::vector<std::string> open;     // runs until its stdin ends
  std::vector<std::string> remove;   // removes what is left of the container; empty: nothing is ever left
  std::vector<std::string> discard;  // removes what `prepare` has made
};

ContainerCommands container_commands(const ContainerOrder& order);

// The host's folders in the container: first the job's own mounts, then the user's home, the working folder and muster's folders.
// A folder below another one that is mounted at its own path is left out.
std::vector<ContainerMount> container_mounts(const ContainerOrder& order);

// The programs that open this image, in the order in which they are tried.
std::vector<ContainerProgram> programs_for(const ContainerTask& task);
// Why the program cannot be used on this host for this task; empty: it can.
std::string unusable(ContainerProgram program, const ContainerTask& task, const ContainerPlace& place);
// Why a folder cannot be mounted: the programs separate source and target by `:`. Empty: all can.
std::string unmountable(const ContainerOrder& order);

// The environment of a process in the container: that of the image, with the user's identity and the variables of `host` that tune
// libraries (is_carried).
std::map<std::string, std::string> container_environment(const std::map<std::string, std::string>& image,
                                                         const std::map<std::string, std::string>& host,
                                                         const ContainerPlace& place);

}  // namespace muster
