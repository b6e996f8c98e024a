// SPDX-License-Identifier: Apache-2.0
// FilesService: the node service that writes the files of DesiredState::files beside the output of the node's first rank, and gives
// their paths to the ranks. They are removed with the attempt. Loop thread only.
#pragma once

#include <map>
#include <string>

#include "core/port/node_service.h"

namespace muster {

class FilesService final : public NodeService {
 public:
  ~FilesService() override { stop(); }

  std::string name() const override { return "files"; }
  Status reserve(const Bind&, const NodePorts&) override { return Status(); }
  // `failed`: a file cannot be written.
  void start(const ServiceStart& start, ServiceEvents events) override;
  RankGift gift(uint32_t) const override { return {paths_, -1}; }
  RankFault fault(uint32_t, const ExitStatus&) override { return {}; }
  void stop() override;
  bool stopped() const override { return true; }
  void tell(Report&) override {}

 private:
  std::map<std::string, std::string> paths_;  // by variable
};

}  // namespace muster
