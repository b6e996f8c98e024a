// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/mpirun_shim.h"

#include <unistd.h>

#include <filesystem>

namespace muster {
namespace {

namespace fs = std::filesystem;

// Replaces the link in one step: another command may make it at the same time.
Status make_link(const fs::path& link, const std::string& target) {
  std::error_code error;
  if (fs::read_symlink(link, error) == target && !error) return {};
  const fs::path fresh = link.string() + "." + std::to_string(getpid());
  fs::remove(fresh, error);
  fs::create_symlink(target, fresh, error);
  if (!error) fs::rename(fresh, link, error);
  if (!error) return {};
  return errno_status(error.value(), "cannot create " + link.string());
}

}  // namespace

Result<std::string> make_mpirun_shim(const std::string& parent, const CallerContext& caller) {
  const fs::path folder = fs::path(parent) / "mpirun";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return errno_status(error.value(), "cannot create " + folder.string());
  for (const char* name : {"mpirun", "mpiexec", "orterun", "mpiexec.hydra"}) {
    if (const Status made = make_link(folder / name, caller.program); !made.ok()) return made;
  }
  return folder.string();
}

}  // namespace muster
