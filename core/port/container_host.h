// SPDX-License-Identifier: Apache-2.0
// ContainerHost: runs the programs that open container images (podman and others) on this machine, and opens the namespaces of a
// container for processes to join. It makes no decisions (core/agent/container does).
//
// The programs are children of our parent process, the guardian, so that processes that they leave running (conmon, FUSE file systems) are
// neither ranks nor leftovers of ranks. They get end of file at their stdin when this process ends. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/port/process_host.h"

namespace muster {

// The facts of this machine and user that matter to containers.
struct ContainerPlace {
  uint32_t user = 0;
  uint32_t group = 0;
  std::string user_name;
  std::string home;                  // absolute; empty: there is none
  std::string cache;                 // folder for images that were pulled into files
  std::vector<std::string> folders;  // that ranks need besides home and workdir: muster's own, /tmp
  std::vector<std::string> devices;  // /dev/infiniband and others that are there
  bool nvidia = false;               // there are NVIDIA GPUs
  bool cdi = false;                  // there is a CDI specification of devices
  bool operator==(const ContainerPlace&) const = default;
};

// A running program. Its destruction kills it and its process group.
class ContainerRun {
 public:
  virtual ~ContainerRun() = default;
  // It reads end of file from its stdin, which is otherwise open and empty.
  virtual void end_input() = 0;
};

struct ContainerRunEvents {
  std::function<void(const std::string& line)> printed;  // a line of its stdout
  std::function<void(const std::string& line)>
      said;                             // a line of its stderr; progress that a terminal overwrites is a line too
  std::function<void(int code)> ended;  // once, last, in a later turn; may destroy the run. -1: unknown
};

struct OpenedContainer {
  std::shared_ptr<const ContainerEntry> entry;
  std::map<std::string, std::string> environment;  // of the container's first process
};

class ContainerHost {
 public:
  virtual ~ContainerHost() = default;

  // `environment` is the one with which the programs run.
  virtual ContainerPlace place(const std::map<std::string, std::string>& environment) = 0;

  // The path of a program in PATH; empty: it is not there.
  virtual std::string find(const std::string& program, const std::map<std::string, std::string>& environment) = 0;

  virtual Result<std::unique_ptr<ContainerRun>> run(const std::vector<std::string>& argv,
                                                    const std::map<std::string, std::string>& environment,
                                                    ContainerRunEvents events) = 0;

  // Writes a new file that only the user may read, in folders that it makes; a text that begins with "#!" can be executed.
  virtual Status write_file(const std::string& path, std::string_view text) = 0;

  // Opens the namespaces of the process, whose last argument must be `mark`. permission_denied: this user may not join them.
  // failed_precondition: there is no such process, or it is in no container, so the container runs on another machine.
  virtual Result<OpenedContainer> open(int64_t pid, const std::string& mark) = 0;

  // The guardian runs `removal` if this process ends before forget(name).
  virtual Status remember(const std::string& name, const std::vector<std::string>& removal,
                          const std::map<std::string, std::string>& environment) = 0;
  virtual void forget(const std::string& name) = 0;
};

}  // namespace muster
