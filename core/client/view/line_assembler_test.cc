// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/line_assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/random.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> lines_of(const std::vector<std::string>& chunks, LineTarget target) {
  LineAssembler assembler(target);
  std::vector<std::string> lines;
  for (const std::string& chunk : chunks) {
    for (std::string& line : assembler.add(chunk)) lines.push_back(std::move(line));
  }
  for (std::string& line : assembler.flush()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> piped(const std::string& text) { return lines_of({text}, LineTarget::pipe); }
std::vector<std::string> shown(const std::string& text) { return lines_of({text}, LineTarget::terminal); }

TEST(LineAssembler, a_line_ends_with_its_newline) {
  LineAssembler assembler;
  EXPECT_THAT(assembler.add("one\ntw"), ElementsAre("one"));
  EXPECT_EQ(assembler.unfinished(), "tw");
  EXPECT_THAT(assembler.add("o\n\nthree\r\n"), ElementsAre("two", "", "three\r"));
  EXPECT_EQ(assembler.unfinished(), "");
  EXPECT_THAT(assembler.flush(), IsEmpty());
}

TEST(LineAssembler, a_prompt_is_shown_at_the_end) {
  LineAssembler assembler;
  EXPECT_THAT(assembler.add("Password: "), IsEmpty());
  EXPECT_THAT(assembler.flush(), ElementsAre("Password: "));
  EXPECT_THAT(assembler.flush(), IsEmpty());
}

TEST(LineAssembler, of_a_progress_bar_on_a_terminal_the_last_state_counts) {
  EXPECT_THAT(shown("\r  0%|   |\r 50%|#  |\r100%|###|\nnext\n"), ElementsAre("100%|###|", "next"));
  EXPECT_THAT(shown("10%\r20%\r"), ElementsAre("20%"));
  EXPECT_THAT(shown("10%\r\r\r\n"), ElementsAre("10%"));
  EXPECT_THAT(shown("10%\r   \rdone\n"), ElementsAre("done"));
  LineAssembler assembler(LineTarget::terminal);
  EXPECT_THAT(assembler.add("10%\r20%"), IsEmpty());
  EXPECT_EQ(assembler.unfinished(), "20%");
  EXPECT_THAT(assembler.add("\r"), IsEmpty());
  EXPECT_EQ(assembler.unfinished(), "20%");
  EXPECT_THAT(assembler.add("\n"), ElementsAre("20%"));
}

TEST(LineAssembler, a_pipe_gets_every_state_of_a_progress_bar) {
  EXPECT_THAT(piped("\r 50%|#  |\r100%|###|\nnext\n"), ElementsAre("\r 50%|#  |\r100%|###|", "next"));
  EXPECT_THAT(piped("error: no room\rdone\r\n"), ElementsAre("error: no room\rdone\r"));
}

TEST(LineAssembler, a_pipe_loses_no_byte_of_an_endless_progress_bar) {
  LineAssembler assembler(LineTarget::pipe);
  std::string sent;
  std::string seen;
  size_t longest = 0;
  const auto take = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) longest = std::max(longest, line.size());
    for (const std::string& line : lines) seen += line;
  };
  for (int i = 0; i < 300'000; ++i) {
    const std::string state = "\r" + std::to_string(i) + std::string(90, '#');
    sent += state;
    take(assembler.add(state));
  }
  take(assembler.flush());
  EXPECT_EQ(seen, sent);
  EXPECT_LT(longest, 66'000u);
}

TEST(LineAssembler, a_long_line_is_cut_and_says_by_how_much) {
  const std::string kept(65536, 'x');
  EXPECT_THAT(shown(kept + "\n"), ElementsAre(kept));
  EXPECT_THAT(shown(kept + "y\n"), ElementsAre(kept + " … (1 more byte)"));
  EXPECT_THAT(shown(kept + kept + "\nshort\n"), ElementsAre(kept + " … (65,536 more bytes)", "short"));
  EXPECT_THAT(shown(kept + "yy\rshort\n"), ElementsAre("short"));
}

TEST(LineAssembler, a_pipe_gets_lines_of_16_mib_whole) {
  const std::string kept(16 << 20, 'x');
  for (const std::string& line : lines_of({kept, "\n", kept, "y\nshort\n"}, LineTarget::pipe)) {
    const bool whole = line == kept || line == "short";
    EXPECT_TRUE(whole || line == kept + " … (1 more byte)") << line.size();
  }
  EXPECT_EQ(piped(std::string(100'000, 'x') + "\n").front().size(), 100'000u);
}

TEST(LineAssembler, a_huge_line_needs_no_more_memory) {
  LineAssembler assembler(LineTarget::terminal);
  const std::string chunk(1 << 20, 'x');
  for (int i = 0; i < 100; ++i) ASSERT_THAT(assembler.add(chunk), IsEmpty());
  EXPECT_LT(assembler.unfinished().size(), 66'000u);
  const std::vector<std::string> lines = assembler.add("\n");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], testing::EndsWith(" … (104,792,064 more bytes)"));
}

TEST(LineAssembler, a_cut_does_not_tear_a_character) {
  const std::string almost(65535, 'x');
  EXPECT_THAT(shown(almost + "ä" + "\n"), ElementsAre(almost + " … (2 more bytes)"));
  LineAssembler assembler(LineTarget::terminal);
  assembler.add("sch\xc3");
  EXPECT_EQ(assembler.unfinished(), "sch");
  EXPECT_THAT(assembler.add("\xb6n\n"), ElementsAre("schön"));
}

TEST(LineAssembler, a_pipe_gets_the_bytes_of_a_line_as_they_are) {
  const std::string binary("\x00\xff\x1b]0;title\x07\t", 14);
  EXPECT_THAT(piped(binary + "\n"), ElementsAre(binary));
}

TEST(LineAssembler, a_terminal_is_told_nothing_but_colours) {
  EXPECT_THAT(shown("\x1b]0;title\x07\n"), ElementsAre("\\x1b]0;title\\x07"));
  EXPECT_THAT(shown("\x1b[2J\x1b[1;31mred\x1b[0m\x1b[A\n"), ElementsAre("\\x1b[2J\x1b[1;31mred\x1b[0m\\x1b[A"));
  EXPECT_THAT(shown(std::string("a\x00z\xff\tb\n", 7)), ElementsAre("a\\x00z\\xff\tb"));
  EXPECT_THAT(shown("\xc2\x9b"
                    "2J\n"),
              ElementsAre("\\xc2\\x9b"
                          "2J"));
  EXPECT_THAT(shown("\x1b[" + std::string(100, '1') + "m\n"), ElementsAre("\\x1b[" + std::string(100, '1') + "m"));
  EXPECT_THAT(shown("\x1b["), ElementsAre("\\x1b["));
}

TEST(LineAssembler, characters_that_change_the_direction_reach_a_pipe_and_no_terminal) {
  EXPECT_THAT(shown("a\u202Eb\u2066c\n"), ElementsAre("a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6c"));
  EXPECT_THAT(piped("a\u202Eb\u2066c\n"), ElementsAre("a\u202Eb\u2066c"));
}

TEST(LineAssembler, a_colour_ends_with_its_line) {
  EXPECT_THAT(shown("\x1b[31mred\nplain\n"), ElementsAre("\x1b[31mred\x1b[0m", "plain"));
  EXPECT_THAT(shown("\x1b[31mred\x1b[m\n"), ElementsAre("\x1b[31mred\x1b[m"));
  EXPECT_THAT(shown("\x1b[38:2:1:2:3mrgb\n"), ElementsAre("\x1b[38:2:1:2:3mrgb\x1b[0m"));
}

// Random text from line ends, colours, control sequences, multi-byte characters and invalid bytes.
std::string random_text(Random& random) {
  const std::vector<std::string> pieces = {"\n", "\r",   "\r\n", "a",        "word ",   "ä",
                                           "€",  "\xff", "\t",   "\x1b[31m", "\x1b[0m", "\x1b[2J"};
  std::string text;
  const uint64_t count = random.below(200);
  for (uint64_t i = 0; i < count; ++i) text += pieces[random.below(pieces.size())];
  if (random.below(10) == 0) text.insert(text.size() / 2, std::string(60'000 + random.below(12'000), 'x'));
  return text;
}

std::vector<std::string> random_chunks(Random& random, const std::string& text) {
  std::vector<std::string> chunks;
  for (size_t at = 0; at < text.size();) {
    const size_t length = random.below(4) == 0 ? random.below(30'000) : random.below(5);
    chunks.push_back(text.substr(at, length));
    at += length;
  }
  return chunks;
}

TEST(LineAssembler, however_the_bytes_are_cut_the_lines_are_the_same) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    const std::string text = random_text(random);
    for (const LineTarget target : {LineTarget::pipe, LineTarget::terminal}) {
      const std::vector<std::string> whole = lines_of({text}, target);
      ASSERT_EQ(lines_of(random_chunks(random, text), target), whole) << "seed " << seed;
    }
  }
}

TEST(LineAssembler, as_text_the_lines_are_the_same) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    const std::vector<std::string> chunks = random_chunks(random, random_text(random));
    for (const LineTarget target : {LineTarget::pipe, LineTarget::terminal}) {
      LineAssembler assembler(target);
      std::string text;
      for (const std::string& chunk : chunks) assembler.add_to(text, "[0] ", chunk);
      for (const std::string& line : assembler.flush()) text += "[0] " + line + "\n";
      std::string expected;
      for (const std::string& line : lines_of(chunks, target)) expected += "[0] " + line + "\n";
      ASSERT_EQ(text, expected) << "seed " << seed;
    }
  }
}

TEST(LineAssembler, as_text_a_pipe_gets_no_line_longer_than_16_mib) {
  LineAssembler assembler;
  std::string text;
  assembler.add_to(text, "", std::string((16 << 20) + 1, 'x') + "\nnext\n");
  EXPECT_TRUE(text.ends_with("x … (1 more byte)\nnext\n"));
}

}  // namespace
}  // namespace muster
