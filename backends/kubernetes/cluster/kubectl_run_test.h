// SPDX-License-Identifier: Apache-2.0
// For tests: a script as a stand-in for kubectl.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "backends/kubernetes/cluster/kubectl.h"

namespace muster {

class KubectlRun : public testing::Test {
 protected:
  KubectlRun() {
    std::string name = (std::filesystem::temp_directory_path() / "muster-kubectl-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~KubectlRun() override { std::filesystem::remove_all(folder_); }
  KubectlAccess stand_in(const std::string& script) {
    const std::string path = folder_ + "/stand-in-kubectl";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {path, {{"PATH", "/usr/bin:/bin"}}, {"prod", ""}};
  }
  std::string folder_;
};

}  // namespace muster
