// SPDX-License-Identifier: Apache-2.0
#include "core/client/whole_file.h"

#include <filesystem>
#include <fstream>

namespace muster {

namespace fs = std::filesystem;

Status replace_file(const std::string& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error);
  const std::string real = fs::exists(file, error) ? fs::canonical(file, error).string() : file;
  const std::string fresh = real + ".new";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  out << text << std::flush;
  const bool whole = out.good();
  out.close();
  error.clear();
  if (whole) fs::rename(fresh, real, error);
  if (whole && !error) return {};
  fs::remove(fresh, error);
  return Status(Code::permission_denied, "cannot write " + file + "; check the permissions of its folder: ls -ld " +
                                             fs::path(file).parent_path().string());
}

}  // namespace muster
