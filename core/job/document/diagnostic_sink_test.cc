// SPDX-License-Identifier: Apache-2.0
#include "core/job/document/diagnostic_sink.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Diagnostic at(uint32_t line, const char* code = "E1101") {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.where = {"job.yaml", line, 1, 1};
  return diagnostic;
}

TEST(DiagnosticSink, SortsByPlace) {
  DiagnosticSink sink;
  for (const uint32_t line : {3, 1, 2}) sink.add(at(line));
  const auto taken = sink.take();
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[0].where.line, 1u);
  EXPECT_EQ(taken[2].where.line, 3u);
}

TEST(DiagnosticSink, OneMistakeIsToldOnce) {
  DiagnosticSink sink;
  sink.add(at(1));
  sink.add(at(1));
  sink.add(at(1, "E1202"));
  EXPECT_EQ(sink.take().size(), 2u);
}

TEST(DiagnosticSink, CountsWhatNobodyWouldRead) {
  DiagnosticSink sink;
  for (uint32_t line = 1; line <= 1000; ++line) sink.add(at(line));
  const auto taken = sink.take();
  ASSERT_EQ(taken.size(), 201u);
  EXPECT_EQ(taken.back().code, "E1012");
  EXPECT_EQ(taken.back().message, "800 more problems not shown");
  EXPECT_EQ(taken.back().untold, 800u);
}

}  // namespace
}  // namespace muster
