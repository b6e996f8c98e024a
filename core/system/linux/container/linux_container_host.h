// SPDX-License-Identifier: Apache-2.0
// LinuxContainerHost: ContainerHost with processes, /proc and namespaces of Linux.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/port/container_host.h"
#include "core/system/asio/fd_loop.h"

namespace muster {

class LinuxContainerHost final : public ContainerHost {
 public:
  // `folder`: for the removals that the guardian runs; it is created when there is one. `shared`: folders that ranks need in a container.
  LinuxContainerHost(FdLoop& loop, std::string folder, std::vector<std::string> shared)
      : loop_(loop),
        folder_(std::move(folder)),
        shared_(std::move(shared)) {}

  ContainerPlace place(const std::map<std::string, std::string>& environment) override;
  std::string find(const std::string& program, const std::map<std::string, std::string>& environment) override;
  Result<std::unique_ptr<ContainerRun>> run(const std::vector<std::string>& argv,
                                            const std::map<std::string, std::string>& environment,
                                            ContainerRunEvents events) override;
  Status write_file(const std::string& path, std::string_view text) override;
  Result<OpenedContainer> open(int64_t pid, const std::string& mark) override;
  Status remember(const std::string& name, const std::vector<std::string>& removal,
                  const std::map<std::string, std::string>& environment) override;
  void forget(const std::string& name) override;

 private:
  FdLoop& loop_;
  const std::string folder_;
  const std::vector<std::string> shared_;
};

// Runs the removals that a killed agent has left in `folder`, each for 20 s at most, and deletes the folder. Blocks. For the guardian,
// after every process of the agent has ended.
void remove_left_containers(const std::string& folder);

}  // namespace muster
