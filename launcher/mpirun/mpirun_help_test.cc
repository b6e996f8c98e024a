// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/mpirun_help.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace muster {
namespace {

std::string page(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(std::string(MUSTER_SOURCE_DIR) + "/docs/reference/" + name).rdbuf();
  return text.str();
}

TEST(MpirunDocs, HaveTheTablesOfFlags) {
  EXPECT_NE(page("mpirun.md").find(mpirun_flags_markdown()), std::string::npos) << "mpirun.md should have:\n"
                                                                                << mpirun_flags_markdown();
  EXPECT_NE(page("mpirun-other-flags.md").find(mpirun_other_flags_markdown()), std::string::npos)
      << "mpirun-other-flags.md should have:\n"
      << mpirun_other_flags_markdown();
}

}  // namespace
}  // namespace muster
