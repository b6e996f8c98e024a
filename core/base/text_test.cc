// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace muster {
namespace {

using Texts = std::vector<std::string>;

TEST(SplitAndJoin, AreEachOthersInverse) {
  EXPECT_EQ(split("a,b", ','), (Texts{"a", "b"}));
  EXPECT_EQ(split("", ','), (Texts{""}));
  EXPECT_EQ(split(",", ','), (Texts{"", ""}));
  for (const std::string text : {"", "a", "a,,b", ",a,", "ä,ö"}) EXPECT_EQ(join(split(text, ','), ","), text);
  EXPECT_EQ(join({}, ", "), "");
}

TEST(ParseSize, BinaryAndDecimalUnits) {
  EXPECT_EQ(*parse_size("0"), 0u);
  EXPECT_EQ(*parse_size("1048576"), 1048576u);
  EXPECT_EQ(*parse_size("12B"), 12u);
  EXPECT_EQ(*parse_size("4GiB"), 4ULL << 30);
  EXPECT_EQ(*parse_size("512MiB"), 512ULL << 20);
  EXPECT_EQ(*parse_size("1TiB"), 1ULL << 40);
  EXPECT_EQ(*parse_size("3kB"), 3000u);
  EXPECT_EQ(*parse_size("3KB"), 3000u);
  EXPECT_EQ(*parse_size("10GB"), 10'000'000'000u);
  EXPECT_EQ(*parse_size("007MB"), 7'000'000u);
}

TEST(ParseSize, Junk_IsNamedAsItWasWritten) {
  for (const char* text : {"", "GiB", "-1GiB", "+1GiB", "1.5GiB", "1 GiB", "4GigaByte", "4gib", "4G", "1GiB ", " 1",
                           "0x10", "1_000", "1,000", "４GiB", "1e3", "1GiB1MiB"}) {
    const auto parsed = parse_size(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.status().code(), Code::invalid_argument);
    EXPECT_NE(parsed.status().message().find("not `" + std::string(text) + "`"), std::string::npos);
  }
}

TEST(ParseSize, EndsAtTheLargestSigned64BitNumber) {
  EXPECT_EQ(*parse_size("9223372036854775807"), UINT64_MAX >> 1);
  EXPECT_EQ(*parse_size("8388607TiB"), 8388607ULL << 40);
  for (const char* text : {"9223372036854775808", "18446744073709551616", "99999999999999999999999999", "8388608TiB",
                           "9223373TB", "18446744073709551615B"}) {
    EXPECT_FALSE(parse_size(text).ok()) << text;
  }
}

TEST(FormatSize, IsShortAndReadBackAsTheSame) {
  EXPECT_EQ(format_size(0), "0B");
  EXPECT_EQ(format_size(2ULL << 30), "2GiB");
  EXPECT_EQ(format_size(10'000'000'000), "10GB");
  EXPECT_EQ(format_size(1'000'000'000'000), "1TB");
  EXPECT_EQ(format_size(1000ULL << 10), "1000KiB");
  EXPECT_EQ(format_size(1001), "1001B");
  for (uint64_t bytes = 1; bytes < UINT64_MAX / 16; bytes = bytes * 10 + 24) {
    EXPECT_EQ(*parse_size(format_size(bytes)), bytes);
    EXPECT_EQ(*parse_size(format_size(bytes << 3)), bytes << 3);
  }
}

TEST(HumaneSize, IsWhatAPersonUses) {
  const std::pair<uint64_t, const char*> rows[] = {
      {0, "0 B"},
      {1023, "1023 B"},
      {1024, "1 KiB"},
      {1536, "1.5 KiB"},
      {256ULL << 10, "256 KiB"},
      {(1ULL << 20) - 1, "1 MiB"},
      {2'040'109'466, "1.9 GiB"},
      {8ULL << 30, "8 GiB"},
      {(1ULL << 40) - 1, "1 TiB"},
      {1ULL << 50, "1 PiB"},
      {UINT64_MAX, "16 EiB"},
  };
  for (const auto& [bytes, text] : rows) EXPECT_EQ(humane_size(bytes), text) << bytes;
}

TEST(HumaneCount, CommasFromFiveDigitsOn) {
  EXPECT_EQ(humane_count(0), "0");
  EXPECT_EQ(humane_count(1245), "1245");
  EXPECT_EQ(humane_count(12'400), "12,400");
  EXPECT_EQ(humane_count(1'048'576), "1,048,576");
  EXPECT_EQ(humane_count(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(CountOf, OneAndMany) {
  EXPECT_EQ(count_of(0, "rank"), "0 ranks");
  EXPECT_EQ(count_of(1, "rank"), "1 rank");
  EXPECT_EQ(count_of(2, "rank"), "2 ranks");
  EXPECT_EQ(count_of(100'000, "rank"), "100,000 ranks");
}

TEST(Nearest, FindsASlipOfTheFingers) {
  const Texts commands{"run", "ps", "logs", "describe", "restarts"};
  EXPECT_EQ(nearest("rum", commands), "run");
  EXPECT_EQ(nearest("rnu", commands), "run");
  EXPECT_EQ(nearest("lgos", commands), "logs");
  EXPECT_EQ(nearest("log", commands), "logs");
  EXPECT_EQ(nearest("describes", commands), "describe");
  EXPECT_EQ(nearest("desrcieb", commands), "describe");
  EXPECT_EQ(nearest("logs", commands), "logs");
}

TEST(Nearest, DoesNotGuess) {
  EXPECT_EQ(nearest("nope", {"home", "node"}), "node");
  EXPECT_EQ(nearest("nope", {"home"}), std::nullopt);
  EXPECT_EQ(nearest("nosch", {"touch"}), std::nullopt);
  EXPECT_EQ(nearest("kubernetez-x9", {"kubernetes"}), std::nullopt);
  EXPECT_EQ(nearest("x", {"y", "xy"}), std::nullopt);
  EXPECT_EQ(nearest("", {"a", "ab"}), std::nullopt);
  EXPECT_EQ(nearest("run", {}), std::nullopt);
}

TEST(Nearest, TheFirstOfEquals_AndNothingEndless) {
  EXPECT_EQ(nearest("cat", {"bat", "rat"}), "bat");
  EXPECT_EQ(nearest("cat", {"bat", "cat"}), "cat");
  const std::string longest(64, 'a');
  EXPECT_EQ(nearest(longest, {longest}), longest);
  EXPECT_EQ(nearest(longest + "a", {longest}), std::nullopt);
  EXPECT_EQ(nearest(longest, {longest + "a"}), std::nullopt);
}

TEST(Utf8Length, OfValidCharactersOnly) {
  const std::pair<std::string, size_t> rows[] = {
      {"a", 1},
      {"ä", 2},
      {"語", 3},
      {"🚀", 4},
      {"\xC2\x80", 2},  // the smallest of each length …
      {"\xE0\xA0\x80", 3},
      {"\xF0\x90\x80\x80", 4},
      {"\xED\x9F\xBF", 3},  // … and the neighbours of the surrogates and of the end
      {"\xEE\x80\x80", 3},
      {"\xF4\x8F\xBF\xBF", 4},
      {"\x80", 0},      // a continuation byte without a first byte
      {"\xC0\xAF", 0},  // overlong
      {"\xC1\xBF", 0},
      {"\xE0\x9F\xBF", 0},
      {"\xF0\x8F\xBF\xBF", 0},
      {"\xED\xA0\x80", 0},      // a surrogate
      {"\xF4\x90\x80\x80", 0},  // beyond U+10FFFF
      {"\xF5\x80\x80\x80", 0},
      {"\xFF", 0},
      {"\xC3", 0},  // cut short
      {"\xE2\x82", 0},
      {"\xF0\x9F\x9A", 0},
      {"\xE2\x28\xA1", 0},
      {std::string(1, '\0'), 1},
  };
  for (const auto& [text, length] : rows) EXPECT_EQ(utf8_length(text, 0), length) << escaped(text);
  EXPECT_EQ(utf8_length("aä", 1), 2u);
  EXPECT_EQ(utf8_length("aä", 2), 0u);
}

TEST(Utf8, ACharacterThatIsBegunIsKnownByWhatItMisses) {
  for (const auto& [text, begun] : std::vector<std::pair<std::string, size_t>>{{"", 0},
                                                                               {"a", 0},
                                                                               {"ä", 0},
                                                                               {"a\xc3", 1},
                                                                               {"✓", 0},
                                                                               {"\xe2\x9c", 2},
                                                                               {"🚀", 0},
                                                                               {"\xf0\x9f\x9a", 3},
                                                                               {"\xf0", 1},
                                                                               {"\x80\x80\x80\x80", 0},
                                                                               {"\xff", 0},
                                                                               {"\xc0", 0}}) {
    EXPECT_EQ(begun_character(text), begun) << escaped(text);
  }
}

TEST(Escaped, PlainTextStaysAsItIs) {
  for (const std::string text : {"", "plain text ~", "grüß dich 你好 🚀", "e\u0301", "\u00A0", "back\\slash"}) {
    EXPECT_EQ(escaped(text), text);
  }
}

TEST(Escaped, WhatATerminalWouldObey_IsWrittenOut) {
  EXPECT_EQ(escaped("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(escaped("a\tb\nc\rd"), "a\\x09b\\x0ac\\x0dd");
  EXPECT_EQ(escaped(std::string("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(escaped("\u009B31m"), "\\xc2\\x9b31m");  // CSI as a C1 control
  EXPECT_EQ(escaped("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(escaped("\u202Egnp.exe"), "\\xe2\\x80\\xaegnp.exe");
  for (const char* direction : {"\u061C", "\u200E", "\u200F", "\u202A", "\u202E", "\u2066", "\u2069"})
    EXPECT_EQ(escaped(direction).find(direction), std::string::npos) << escaped(direction);
  for (const char* other : {"\u061B", "\u200D", "\u2010", "\u2029", "\u202F", "\u2065", "\u206A", "\u05D0"})
    EXPECT_EQ(escaped(other), other);
  EXPECT_EQ(escaped("a\xE2\x82"), "a\\xe2\\x82");
  EXPECT_EQ(escaped("\xC0\xAFä"), "\\xc0\\xafä");
}

TEST(ShortList, NamesAFewAndCountsTheRest) {
  EXPECT_EQ(short_list({}, 3), "");
  EXPECT_EQ(short_list({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(short_list({"a", "b", "c", "d"}, 3), "a, b, c and 1 more");
}

}  // namespace
}  // namespace muster
