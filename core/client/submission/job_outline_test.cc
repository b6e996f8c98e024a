// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/job_outline.h"

#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

std::string problems(const std::string& text) {
  return render_diagnostics(check_job(parse_job(text, "job.yaml"), "job.yaml"), text, false);
}

TEST(JobOutline, IsAJobFileWhateverTheWordsAre) {
  const JobOutline outline{
      .command = {"python", "train.py", "--name", "no", "a b", "", "\"quoted\"", "1.0", "[x]", "#"},
      .workers = "auto",
      .nodes = "2..4",
      .framework = "torch"};
  const std::string text = outline_text(outline, "job.yaml", ".muster/job.schema.json");
  EXPECT_EQ(problems(text), "") << text;
  EXPECT_EQ(parse_job(text, "job.yaml").spec.groups.front().command, outline.command);
  EXPECT_TRUE(text.starts_with("# yaml-language-server: $schema=.muster/job.schema.json\n"));
}

TEST(JobOutline, ItsSuggestionsHoldWithoutTheirMark) {
  std::string text = outline_text({.command = {"./train"}}, "job.yaml", "");
  const size_t suggestions = text.find("Remove the #");
  for (size_t at = text.find("\n# ", suggestions); at != std::string::npos; at = text.find("\n# ", at + 1))
    text.erase(at + 1, 2);
  EXPECT_EQ(problems(text), "") << text;
  const JobSpec spec = parse_job(text, "job.yaml").spec;
  EXPECT_EQ(spec.restarts.limit, 3u);
  EXPECT_EQ(spec.hangs.action, HangAction::restart);
  EXPECT_TRUE(spec.hangs.even_without_steps) << "a plain PyTorch script tells no steps";
  EXPECT_EQ(spec.python.venv, ".venv");
  ASSERT_EQ(spec.setup.size(), 2u);
  EXPECT_EQ(join(spec.setup[1], " "), ".venv/bin/pip install -r requirements.txt");
}

}  // namespace
}  // namespace muster
