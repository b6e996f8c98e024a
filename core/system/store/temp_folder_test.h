// SPDX-License-Identifier: Apache-2.0
// A fixture with a temporary folder that is removed after the test, and helpers to inspect its files.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/base/ids.h"

namespace muster::store {

class TempFolderTest : public testing::Test {
 protected:
  TempFolderTest() {
    char name[] = "/tmp/muster-store-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~TempFolderTest() override { std::filesystem::remove_all(folder_); }

  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  static void add(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
  }

  static unsigned mode(const std::string& path) {
    struct stat about {};
    return ::lstat(path.c_str(), &about) == 0 ? about.st_mode & 0777 : 0;
  }

  static JobId job(uint64_t seed) {
    Random random(seed);
    return JobId::make(random);
  }

  std::string folder_;
};

}  // namespace muster::store
