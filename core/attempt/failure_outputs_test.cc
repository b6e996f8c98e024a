// SPDX-License-Identifier: Apache-2.0
// The failure messages of outputs that real programs have printed, in test/golden/failures. MUSTER_REWRITE_GOLDEN=1 rewrites the
// list of what muster says about them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/attempt/failure_message.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

const fs::path kOutputs = fs::path(MUSTER_SOURCE_DIR) / "test/golden/failures";

std::string text_of(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(FailureOutputs, OfRealPrograms_NameTheCause) {
  std::set<fs::path> outputs;
  for (const auto& entry : fs::directory_iterator(kOutputs)) outputs.insert(entry.path());
  std::string found;
  for (const fs::path& path : outputs) {
    const FailureMessage message = failure_message_of(text_of(path));
    found += path.stem().string() + ": " + message.said + "\n";
    EXPECT_LE(message.said.size(), 300u) << path;
  }
  const fs::path list = fs::path(MUSTER_SOURCE_DIR) / "test/golden/failure_messages.txt";
  if (std::getenv("MUSTER_REWRITE_GOLDEN") != nullptr) std::ofstream(list, std::ios::binary) << found;
  EXPECT_EQ(found, text_of(list));
}

}  // namespace
}  // namespace muster
