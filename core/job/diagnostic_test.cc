// SPDX-License-Identifier: Apache-2.0
#include "core/job/diagnostic.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Diagnostic troch() {
  return {Severity::error, "E1204", {"job.yaml", 2, 12, 5}, "unknown framework `troch`", "did you mean `torch`?", "",
          {"torch"}};
}

constexpr const char* kSource = "name: a\nframework: troch\n";

TEST(Diagnostic, LooksLikeACompilers) {
  EXPECT_EQ(render_diagnostics({troch()}, kSource, false),
            "error: unknown framework `troch`                                                     [E1204]\n"
            "  --> job.yaml:2:12\n"
            " 2 | framework: troch\n"
            "   |            ^^^^^ did you mean `torch`?\n"
            "1 error; nothing was started.   muster explain E1204\n");
}

TEST(Diagnostic, ColourOnlyAdds) {
  std::string coloured = render_diagnostics({troch()}, kSource, true);
  EXPECT_NE(coloured.find("\033[1;31merror\033[0m"), std::string::npos);
  for (size_t at = coloured.find('\033'); at != std::string::npos; at = coloured.find('\033')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, render_diagnostics({troch()}, kSource, false));
}

TEST(Diagnostic, NothingIsNoReport) {
  EXPECT_EQ(render_diagnostics({}, kSource, false), "");
  EXPECT_EQ(diagnostics_to_json({}), "[]");
  EXPECT_FALSE(has_errors({}));
}

TEST(Diagnostic, WarningsDoNotStopAnything) {
  Diagnostic warning = troch();
  warning.severity = Severity::warning;
  EXPECT_FALSE(has_errors({warning}));
  EXPECT_TRUE(has_errors({warning, troch()}));
  const std::string text = render_diagnostics({warning}, kSource, false);
  EXPECT_TRUE(text.starts_with("warning: ")) << text;
  EXPECT_TRUE(text.ends_with("1 warning\n")) << text;
}

TEST(Diagnostic, AFlagHasNoExcerpt) {
  Diagnostic flag = troch();
  flag.where = {"--framework", 0, 0, 1};
  const std::string text = render_diagnostics({flag}, kSource, false);
  EXPECT_NE(text.find("  --> --framework\n      did you mean `torch`?\n"), std::string::npos) << text;
}

TEST(Diagnostic, EachFileShowsItsOwnLines) {
  Diagnostic layer = troch();
  layer.where = {"muster.yaml", 1, 1, 4};
  const std::string text =
      render_diagnostics({troch(), layer}, {{"job.yaml", kSource}, {"muster.yaml", "logs: x"}}, ReportStyle{});
  EXPECT_NE(text.find(" 2 | framework: troch\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 1 | logs: x\n"), std::string::npos) << text;
}

TEST(Diagnostic, LongLinesAreCutAroundTheCaret) {
  const std::string line = std::string(500, 'a') + "BAD" + std::string(500, 'b');
  Diagnostic far = troch();
  far.where = {"job.yaml", 1, 501, 3};
  const std::string text = render_diagnostics({far}, line, false);
  EXPECT_NE(text.find(" 1 | …" + std::string(60, 'a') + "BAD" + std::string(37, 'b') + "…\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("   | " + std::string(61, ' ') + "^^^ did"), std::string::npos) << text;
}

TEST(Diagnostic, KeepsToTheWindow) {
  Diagnostic far = troch();
  far.where = {"job.yaml", 1, 501, 3};
  Diagnostic wordy = troch();
  wordy.message = std::string(70, 'm');
  const std::string line = std::string(500, 'a') + "BAD" + std::string(500, 'b');
  const std::string text = render_diagnostics({troch(), far, wordy}, {{"job.yaml", line}}, {.columns = 80});
  EXPECT_TRUE(text.starts_with("error: unknown framework `troch`" + std::string(41, ' ') + "[E1204]\n")) << text;
  EXPECT_NE(text.find(" 1 | …" + std::string(43, 'a') + "BAD" + std::string(26, 'b') + "…\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nerror: " + std::string(70, 'm') + " [E1204]\n"), std::string::npos) << text;
  EXPECT_FALSE(render_diagnostics({far}, {{"job.yaml", line}}, {.columns = 1}).empty());
}

TEST(Diagnostic, CaretsFollowCellsNotBytes) {
  Diagnostic wide = troch();
  wide.where = {"job.yaml", 1, 9, 3};  // ä is 2 bytes and 1 cell, 語 3 bytes and 2 cells
  const std::string text = render_diagnostics({wide}, "äöü: 語x", false);
  EXPECT_NE(text.find(" 1 | äöü: 語x\n   |      ^^ did"), std::string::npos) << text;
}

TEST(Diagnostic, ControlCharactersAreShownNeverSent) {
  Diagnostic evil = troch();
  evil.message = "unknown `\033[2J`";
  const std::string text = render_diagnostics({evil}, "x\nframework: \033[2J\n", false);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(text.find("\\x1b[2J"), std::string::npos);
}

TEST(Diagnostic, PlacesBeyondTheTextAreHarmless) {
  Diagnostic outside = troch();
  outside.where = {"job.yaml", 99, 4000, 4000};
  EXPECT_NE(render_diagnostics({outside}, kSource, false).find("99 | "), std::string::npos);
}

TEST(Diagnostic, JsonHasEveryField) {
  Diagnostic rest;
  rest.untold = 3;
  EXPECT_EQ(diagnostics_to_json({troch(), rest}), diagnostics_to_json({troch()}));
  EXPECT_EQ(untold_problems({troch(), rest, rest}), 6u);
  EXPECT_EQ(diagnostics_to_json({troch()}),
            "[{\"severity\":\"error\",\"file\":\"job.yaml\",\"line\":2,\"col\":12,\"end\":17,\"code\":\"E1204\","
            "\"message\":\"unknown framework `troch`\",\"label\":\"did you mean `torch`?\",\"help\":\"\","
            "\"suggestions\":[\"torch\"]}]");
}

TEST(Diagnostic, JsonOfSeveralIsOneLine) {
  const std::string text = diagnostics_to_json({troch(), troch()});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_NE(text.find("},{"), std::string::npos);
}

TEST(Diagnostic, ACommandThatStartsNothingDoesNotSaySo) {
  const std::string text = render_diagnostics({troch()}, std::vector<SourceText>{}, {.starts = false});
  EXPECT_TRUE(text.ends_with("\n1 error.   muster explain E1204\n")) << text;
}

}  // namespace
}  // namespace muster
