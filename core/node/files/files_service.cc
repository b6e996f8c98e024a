// SPDX-License-Identifier: Apache-2.0
#include "core/node/files/files_service.h"

#include <unistd.h>

#include "core/system/posix/private_text.h"

namespace muster {
void FilesService::start(const ServiceStart& start, ServiceEvents events) {
  stop();
  if (!start.desired.run || start.desired.files.empty()) return events.ready();
  const std::vector<SpawnRequest> ranks = start.ranks();
  if (ranks.empty()) return events.ready();
  const std::string& output = ranks.front().stdout_path;
  if (output.empty()) return events.failed("cannot write " + start.desired.files.begin()->first + ": " + kNoPlace);
  for (const auto& [name, text] : start.desired.files) {
    const std::string path = output + "." + name;
    if (const Status written = write_private_file(path, text, 0600); !written.ok())
      return events.failed(written.message());
    paths_[name] = path;
  }
  events.ready();
}

void FilesService::stop() {
  for (const auto& [name, path] : paths_) unlink(path.c_str());
  paths_.clear();
}

}  // namespace muster
