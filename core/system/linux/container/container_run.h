// SPDX-License-Identifier: Apache-2.0
// A program of LinuxContainerHost: its pipes and lines. Loop thread only.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/port/container_host.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class LinuxContainerRun final : public ContainerRun {
 public:
  // Starts the program as a child of our parent. Errors as ProcessHost::spawn.
  static Result<std::unique_ptr<ContainerRun>> start(FdLoop& loop, const std::vector<std::string>& argv,
                                                     const std::map<std::string, std::string>& environment,
                                                     ContainerRunEvents events);
  ~LinuxContainerRun() override;
  void end_input() override { input_.reset(); }

 private:
  // Bytes of a pipe, cut into lines.
  struct Lines {
    UniqueFd fd;
    std::string rest;
    std::unique_ptr<LoopWatch> watch;
  };
  LinuxContainerRun(FdLoop& loop, ContainerRunEvents events) : loop_(loop), events_(std::move(events)) {}
  bool watch(Lines& lines, const std::function<void(const std::string&)>& heard);
  // False: the end of the pipe, or nothing to read now.
  bool take(Lines& lines, const std::function<void(const std::string&)>& heard);
  void read_code();

  FdLoop& loop_;
  const ContainerRunEvents events_;
  pid_t pid_ = 0;   // of a shell that leads session and group; 0: it has ended
  UniqueFd input_;  // its stdin
  Lines out_;
  Lines errors_;
  UniqueFd code_;  // the shell writes the exit code of the program there
  std::unique_ptr<LoopWatch> over_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
