// SPDX-License-Identifier: Apache-2.0
// FileSetupPlace: a SetupPlace in a folder of muster. NAME.done exists if the setup NAME is done, NAME/work is the copy of
// the code in which it ran, and *.lock are locked while it runs.
#pragma once

#include "core/port/setup_place.h"

namespace muster {

class FileSetupPlace final : public SetupPlace {
 public:
  // `folder`: muster's folder on this host (host_folder in core/client/connect/paths.h). `host`: the setup of one host
  // does not count for another host with the same network disk.
  FileSetupPlace(const std::string& folder, std::string host);

  SetupSite site(const std::string& identity, const std::vector<std::vector<std::string>>& commands,
                 const std::string& workdir) override;
  bool is_done(const SetupSite& site) override;
  Status note_done(const SetupSite& site) override;
  std::unique_ptr<MachineLease> lock(const SetupSite& site) override;
  Status clear(const SetupSite& site) override;
  Status link(const SetupSite& site) override;
  bool is_venv(const std::string& path) override;

 private:
  const std::string code_;    // contains the jobs' own copies of their code
  const std::string folder_;  // contains the setups
  const std::string host_;
};

}  // namespace muster
