// SPDX-License-Identifier: Apache-2.0
#include "core/job/errors/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/job/errors/explain_table.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

void add_codes_of(const std::string& folder, std::set<std::string>& codes) {
  for (const auto& entry : std::filesystem::directory_iterator(std::string(MUSTER_SOURCE_DIR) + folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".cc") || name.ends_with("_test.cc") || name.starts_with("explain")) continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string source = text.str();
    for (size_t at = source.find("\"E1"); at != std::string::npos; at = source.find("\"E1", at + 1)) {
      if (source.substr(at + 6, 1) == "\"") codes.insert(source.substr(at + 1, 5));
    }
  }
}

// The codes in the sources that report problems of job files, manifests and clusters, without explanations and tests.
std::set<std::string> emitted_codes() {
  std::set<std::string> codes;
  for (const char* folder :
       {"/core/job", "/core/job/document", "/core/job/file", "/core/job/file/kubeflow", "/core/job/plan",
        "/core/job/rules", "/backends/kubernetes", "/backends/kubernetes/manifest", "/backends/kubernetes/cluster",
        "/core/job/mpirun", "/launcher/follow", "/launcher/mpirun"}) {
    add_codes_of(folder, codes);
  }
  return codes;
}

TEST(Explain, EveryCodeThatIsEmittedIsExplainedAndTheOtherWayRound) {
  const std::vector<std::string> explained = explained_codes();
  EXPECT_EQ(emitted_codes(), std::set<std::string>(explained.begin(), explained.end()));
  EXPECT_TRUE(std::is_sorted(explained.begin(), explained.end()));
}

TEST(Explain, SaysWhatAndShowsHow) {
  const auto found = explain("E1112");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->title, "a command written as one text");
  EXPECT_NE(found->text.find("Wrong:\n    command: python train.py\n"), std::string::npos) << found->text;
  EXPECT_NE(found->text.find("Right:\n    command: [python, train.py]\n"), std::string::npos) << found->text;
  EXPECT_FALSE(explain("E9999"));
}

TEST(MessageParts, OfAMessageWithACode_AreItsSentenceFixAndCode) {
  const auto parts = [](const std::string& sentence) {
    return message_parts(explained(Code::unavailable, sentence, "E1653").message());
  };
  EXPECT_EQ(parts("it does not answer: a; b; check it"),
            (MessageParts{"it does not answer: a; b", "check it", "E1653"}));
  EXPECT_EQ(parts("it does not answer"), (MessageParts{"it does not answer", "", "E1653"}));
  EXPECT_EQ(parts("the name is taken; choose another; nothing was created"),
            (MessageParts{"the name is taken", "choose another", "E1653"}));
}

TEST(MessageParts, OfAMessageWithoutACode_AreAllOfItAsTheSentence) {
  EXPECT_EQ(message_parts("kubectl failed: a; b"), (MessageParts{"kubectl failed: a; b", "", ""}));
}

std::vector<ExplainRow> rows() {
  std::vector<ExplainRow> all;
  for (const auto& table :
       {explain_file_rows(), explain_value_rows(), explain_name_rows(), explain_contradiction_rows()}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

std::string in_a_job(std::string_view lines) {
  const bool has_command = lines.find("command") != std::string_view::npos;
  return std::string(lines) + "\n" + (has_command ? "" : "command: [./train]\n");
}

bool is_for_another_reader(const ExplainRow& row) { return row.code == "E1203" || row.code == "E1211"; }

// A wrong example must give its code, and a right example must give no problem.
TEST(Explain, WrongExamplesGiveTheirCodeAndRightOnesNone) {
  for (const ExplainRow& row : rows()) {
    const bool elided = row.wrong.find("…") != std::string_view::npos || row.wrong.find('<') != std::string_view::npos;
    if (row.wrong.empty() || elided || is_for_another_reader(row)) continue;
    const bool alone = row.code == "E1304" || row.code == "E1305" || row.code == "E1010" || row.code == "E1011";
    const std::string wrong = alone ? std::string(row.wrong) : in_a_job(row.wrong);
    const auto found = check_job(parse_job(wrong, "wrong.yaml"), "wrong.yaml");
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const Diagnostic& each) { return each.code == row.code; }))
        << row.code << ":\n"
        << wrong << render_diagnostics(found, wrong, false);
    if (row.right.empty()) continue;
    const auto fine = check_job(parse_job(in_a_job(row.right), "right.yaml"), "right.yaml");
    EXPECT_TRUE(fine.empty()) << row.code << ":\n" << render_diagnostics(fine, in_a_job(row.right), false);
  }
}

}  // namespace
}  // namespace muster
