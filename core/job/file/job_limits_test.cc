// SPDX-License-Identifier: Apache-2.0
// Any file is checked within 100 ms of CPU time.
#include <gtest/gtest.h>

#include <ctime>

#include "core/job/document/yaml_prescan.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

std::string repeated(const std::string& text, size_t bytes) {
  std::string made;
  while (made.size() + text.size() <= bytes) made += text;
  return made;
}

double milliseconds(const std::string& text) {
  const std::clock_t start = std::clock();
  const auto found = check_job(parse_job(text, "job.yaml"), "job.yaml");
  EXPECT_FALSE(found.empty());
  EXPECT_FALSE(render_diagnostics(found, text, false).empty());
  return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// The limit is for release builds. Other builds only show that time does not grow faster than the text.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
constexpr double kLimit = 1000;
#else
constexpr double kLimit = 100;
#endif

// A single slow run can be caused by the machine, so the best of three counts.
void expect_quick(const std::string& text, const std::string& what) {
  double least = milliseconds(text);
  for (int i = 0; i < 2 && least >= kLimit; ++i) least = std::min(least, milliseconds(text));
  EXPECT_LT(least, kLimit) << what;
}

TEST(JobLimits, NoTextTakesLong) {
  for (const size_t bytes : {size_t{39'000}, kMaxYamlBytes - 100}) {
    for (const char* piece :
         {"[",      "{",     "a,", "\"a\",", "- ", "? ",  "{a: ", "&a ", "!a ", "x",    "x ",  "\\x41",
          "a: b\n", "- a\n", "\n", " ",      "#",  "*a ", "'",    "''",  "é",   "a:\n", "|\n", "a: |\n  x\n"}) {
      const std::string body = repeated(piece, bytes);
      for (const std::string& text : {body, "a: [" + body + "]", "a: \"" + body + "\""}) {
        expect_quick(text, std::to_string(bytes) + " bytes of " + piece);
      }
    }
  }
}

TEST(JobLimits, TwentyThousandKeysTakeNotLong) {
  std::string keys = "env:\n";
  for (int i = 0; i < 9'000; ++i) keys += "  k" + std::to_string(i) + ": v\n";
  expect_quick(keys, "variables");
  std::string unknown;
  for (int i = 0; i < 9'000; ++i) unknown += "command_" + std::to_string(i) + ": v\n";
  expect_quick(unknown, "unknown keys");
}

}  // namespace
}  // namespace muster
