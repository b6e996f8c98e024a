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
  JsonPresenter presenter(screen, {});
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
  EXPECT_EQ(shown({piece(0, "a\xe2\x9c")}), (std::vector<Shown>{{0, "a\xef\xbf\xbd"}}));
  EXPECT_EQ(shown({piece(0, "a\xe2"), piece(100, "b")}), (std::vector<Shown>{{0, "a\xef\xbf\xbd"}, {100, "b"}}));
}

TEST(JsonPresenter, Output_LinesCutAnywhere_OneObjectEach) {
  const std::string text = "one\n\ntwo\r\n 1 %\r 2 %\rdone\nlast";
  const std::vector<Shown> expected{{0, "one\n"},   {4, "\n"},      {5, "two\r\n"}, {10, " 1 %\r"},
                                    {15, " 2 %\r"}, {20, "done\n"}, {25, "last"}};
  for (size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(shown({piece(0, text.substr(0, cut)), piece(cut, text.substr(cut))}), expected) << "cut at " << cut;
}

TEST(JsonPresenter, Output_LineOfMegabytes_ComesInParts) {
  const std::vector<Shown> parts = shown({piece(0, std::string((2 << 20) + 5, 'x') + "\n")});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].offset, 1u << 20);
  EXPECT_EQ(parts[2].text, "xxxxx\n");
}

TEST(JsonPresenter, Output_NewAttempt_EndsTheLineOfTheOld) {
  EXPECT_EQ(shown({piece(0, "half"), chunk_of(0, 0, "new\n", 2)}), (std::vector<Shown>{{0, "half"}, {0, "new\n"}}));
}

TEST(JsonPresenter, Choice_OnlyStderr_HasNoStdoutNoEventsAndNoJob) {
  RecordingScreen screen;
  JsonPresenter presenter(screen, {.out = false, .job = false});
  presenter.event(event_of(1, "running"));
  presenter.output(piece(0, "out\n"));
  OutputChunk err = chunk_of(0, 0, "err\n", 1, OutputStream::err);
  err.time = from_unix_nanos(0) + std::chrono::milliseconds(1500);
  presenter.output(err);
  presenter.end(view_of(1, "succeeded"));
  EXPECT_EQ(screen.out_text,
            R"({"schema":"muster/output/v1","type":"output","attempt":1,"index":0,"stream":"err","offset":0,)"
            R"("time":"1970-01-01T00:00:01.500Z","text":"err\n"})"
            "\n");
}

TEST(JsonPresenter, Ask_QuestionAfterCtrlC_IsOnStderrAndNotInTheDocuments) {
  RecordingScreen screen;
  JsonPresenter presenter(screen, {});
  presenter.ask("detach?");
  EXPECT_NE(screen.err_text.find("detach?"), std::string::npos);
  EXPECT_EQ(screen.out_text, "");
}

}  // namespace
}  // namespace muster
