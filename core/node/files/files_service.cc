// SPDX-License-Identifier: Apache-2.0
#include "core/node/files/files_service.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "core/system/posix/unique_fd.h"
#include "core/system/posix/write_failure.h"

namespace muster {
namespace {

Status write_whole(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return write_failure(errno, path.substr(0, path.rfind('/')));
    text.remove_prefix(static_cast<size_t>(count));
  }
  return Status();
}

// A new file that only the user may read. A failure leaves no file.
Status write_private_file(const std::string& path, std::string_view text) {
  unlink(path.c_str());
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0) return errno_status(errno, "cannot write " + path);
  const Status written = write_whole(file.get(), text, path);
  if (written.ok()) return written;
  unlink(path.c_str());
  return written.with_context("cannot write " + path);
}

}  // namespace

void FilesService::start(const ServiceStart& start, ServiceEvents events) {
  stop();
  if (!start.desired.run || start.desired.files.empty()) return events.ready();
  const std::vector<SpawnRequest> ranks = start.ranks();
  if (ranks.empty()) return events.ready();
  const std::string& output = ranks.front().stdout_path;
  if (output.empty()) return events.failed("cannot write " + start.desired.files.begin()->first + ": " + kNoPlace);
  for (const auto& [name, text] : start.desired.files) {
    const std::string path = output + "." + name;
    if (const Status written = write_private_file(path, text); !written.ok()) return events.failed(written.message());
    paths_[name] = path;
  }
  events.ready();
}

void FilesService::stop() {
  for (const auto& [name, path] : paths_) unlink(path.c_str());
  paths_.clear();
}

}  // namespace muster
