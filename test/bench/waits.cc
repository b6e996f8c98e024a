// SPDX-License-Identifier: Apache-2.0
// waits FOLDER: a rank that reports when it runs, then waits; SIGTERM ends it at once. FOLDER/ATTEMPT-RANK is written atomically.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "report.h"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "0" : value;
}

}  // namespace

int main(int, char** argv) {
  const int64_t runs = bench::now();
  const std::string path = std::string(argv[1]) + "/" + variable("MUSTER_ATTEMPT") + "-" + variable("MUSTER_RANK");
  std::ofstream(path + ".new") << "passed " << runs << "\ncalls pid " << getpid() << "\n";
  std::rename((path + ".new").c_str(), path.c_str());
  while (true) pause();
}
