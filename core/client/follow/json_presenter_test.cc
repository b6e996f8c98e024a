// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/client/follow/follow_fakes.h"
#include "core/client/follow/json_presenter.h"

namespace muster {
namespace {

struct Shown {
  uint64_t offset = 0;
  std::string text;
  bool operator==(const Shown&) const = default;
};

// Presents the pieces of rank 0's stdout in order and returns the printed output objects.
std::vector<Shown> shown(const std::vector<OutputChunk>& pieces) {
  RecordingScreen screen;
  JsonPresenter presenter(screen, true);
  for (const OutputChunk& piece : pieces) presenter.output(piece);
  presenter.end(view_of(1, "succeeded"));
  std::vector<Shown> lines;
  std::istringstream text(screen.out_text);
  for (std::string line; std::getline(text, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json["type"] == "output") lines.push_back({json["offset"], json["text"]});
  }
  return lines;
}

OutputChunk piece(uint64_t offset, const std::string& bytes) { return chunk_of(0, offset, bytes); }

TEST(JsonPresenter, ACharacterThatIsCutComesWholeWithTheNextPiece) {
  const std::string text = "größe ✓ 🚀 end";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    std::string together;
    for (const Shown& line : shown({piece(0, text.substr(0, cut)), piece(cut, text.substr(cut))})) {
      EXPECT_EQ(line.offset, together.size()) << "cut at " << cut;
      together += line.text;
    }
    EXPECT_EQ(together, text) << "cut at " << cut;
  }
}

TEST(JsonPresenter, BytesThatBeginNoCharacterAreShownForWhatTheyAre) {
  EXPECT_EQ(shown({piece(0, "a\xe2\x9c")}), (std::vector<Shown>{{0, "a"}, {1, "\xef\xbf\xbd"}}));
  EXPECT_EQ(shown({piece(0, "a\xe2"), piece(100, "b")}),
            (std::vector<Shown>{{0, "a"}, {1, "\xef\xbf\xbd"}, {100, "b"}}));
}

TEST(JsonPresenter, Ask_QuestionAfterCtrlC_IsOnStderrAndNotInTheDocuments) {
  RecordingScreen screen;
  JsonPresenter presenter(screen, true);
  presenter.ask("detach?");
  EXPECT_NE(screen.err_text.find("detach?"), std::string::npos);
  EXPECT_EQ(screen.out_text, "");
}

}  // namespace
}  // namespace muster
