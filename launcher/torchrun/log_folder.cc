// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/log_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "core/base/text.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// 0700, like Python's.
Result<std::string> make_unique(const std::string& beginning) {
  std::string path = beginning + "XXXXXX";
  if (mkdtemp(path.data()) != nullptr) return path;
  return Status(Code::invalid_argument,
                "cannot create the folder " + escaped(beginning) + "…: " + errno_status(errno, "mkdtemp").message());
}

}  // namespace

Result<std::string> make_log_folder(const std::optional<std::string>& log_dir, const std::string& run_id,
                                    const std::string& temporary, const std::string& workdir) {
  if (!log_dir || log_dir->empty()) {
    const auto base = make_unique(temporary + "/torchelastic_");
    return base.ok() ? make_unique(*base + "/" + run_id + "_") : base;
  }
  const fs::path base = (fs::path(workdir) / *log_dir).lexically_normal();
  std::error_code error;
  if (fs::exists(base, error) && !fs::is_directory(base, error)) {
    return Status(Code::invalid_argument, "--log-dir " + escaped(*log_dir) + " is not a folder");
  }
  fs::create_directories(base, error);
  if (error) {
    return Status(Code::invalid_argument, "cannot create --log-dir " + escaped(*log_dir) + ": " + error.message());
  }
  return make_unique((base / (run_id + "_")).string());
}

}  // namespace muster
