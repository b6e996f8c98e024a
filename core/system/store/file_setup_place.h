// FileSetupPlace: a SetupPlace below a folder of muster's own: NAME.done says that it was done, NAME/work is the copy that it was
// done in, and *.lock are held while it is.
#pragma once

#include "core/port/setup_place.h"

namespace muster {

class FileSetupPlace final : public SetupPlace {
 public:
  // `folder`: muster's own here (core/client/connect/paths.h, host_folder). What is done on one host is not done on another that sees
  // the same disk: `host` tells them apart.
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
  const std::string code_;    // below it lie copies that are a job's own
  const std::string folder_;  // ours
  const std::string host_;
};

}  // namespace muster
