// SPDX-License-Identifier: Apache-2.0
#include "core/output/output_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/output/fake_output_test.h"
#include "core/output/time_index.h"

namespace muster {
namespace {

using testing::ElementsAre;

class OutputReaderTest : public testing::Test {
 protected:
  static std::string path(uint32_t index, OutputStream stream = OutputStream::out, Attempt attempt = 1) {
    return std::to_string(attempt) + "/r-" + std::to_string(index) + (stream == OutputStream::out ? ".out" : ".err");
  }
  void add(uint32_t index, OutputStart start = {}, Attempt attempt = 1) {
    reader_.add({attempt, index, OutputStream::out, path(index, OutputStream::out, attempt), start});
  }
  std::string& bytes(uint32_t index) { return output_.files[path(index)].bytes; }

  // Reads until the reader is drained; `order_` gets the ranks in the order of reading.
  void drain() {
    for (OutputRead read = reader_.next(); read.kind != OutputRead::Kind::drained; read = reader_.next()) {
      if (read.kind == OutputRead::Kind::working) continue;
      EXPECT_FALSE(read.chunk.bytes.empty());
      EXPECT_LE(read.chunk.bytes.size(), 65'536u);
      order_.push_back(read.chunk.position.index);
      got_[read.chunk.position.index] += read.chunk.bytes;
      starts_.try_emplace(read.chunk.position.index, read.chunk.position.offset);
      dropped_ += read.dropped;
    }
  }

  FakeOutput output_;
  OutputReader reader_{output_};
  std::map<uint32_t, std::string> got_;
  std::map<uint32_t, uint64_t> starts_;
  std::vector<uint32_t> order_;
  uint64_t dropped_ = 0;
};

TEST_F(OutputReaderTest, reads_what_there_is_and_goes_on_when_told) {
  add(0);
  drain();
  EXPECT_TRUE(got_.empty());
  bytes(0) = "hello ";
  reader_.changed(1);
  drain();
  bytes(0) += "world\n";
  reader_.changed(1);
  drain();
  EXPECT_EQ(got_[0], "hello world\n");
  EXPECT_FALSE(reader_.finished());
}

TEST_F(OutputReaderTest, only_what_grew_is_looked_at) {
  add(0);
  add(1);
  drain();
  bytes(0) = "a\n";
  bytes(1) = "b\n";
  reader_.changed(1, {path(1), "elsewhere"});
  drain();
  EXPECT_EQ(got_.count(0), 0u);
  EXPECT_EQ(got_[1], "b\n");
}

TEST_F(OutputReaderTest, an_ended_attempt_is_read_out_and_forgotten) {
  add(0);
  drain();
  bytes(0) = std::string(200'000, 'x');
  reader_.end(1, {0, 1, 2, 3});
  EXPECT_FALSE(reader_.finished());
  drain();
  EXPECT_EQ(got_[0].size(), 200'000u);
  EXPECT_TRUE(reader_.finished());
}

TEST_F(OutputReaderTest, a_flooding_rank_starves_no_other) {
  for (uint32_t index = 0; index < 3; ++index) add(index);
  bytes(0) = std::string(1'000'000, 'x');
  bytes(1) = "short\n";
  bytes(2) = std::string(65'536, 'y') + "z";
  drain();
  order_.resize(6);
  EXPECT_THAT(order_, ElementsAre(0, 1, 2, 0, 2, 0));
  EXPECT_EQ(got_[0].size(), 1'000'000u);
  EXPECT_EQ(got_[2], bytes(2));
}

TEST_F(OutputReaderTest, an_earlier_attempt_comes_first) {
  add(1, {}, 2);
  add(0, {}, 1);
  output_.files[path(1, OutputStream::out, 2)].bytes = std::string(200'000, 'x');
  bytes(0) = std::string(200'000, 'x');
  reader_.end(1, {0, 1, 2, 3});
  drain();
  EXPECT_THAT(order_, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST_F(OutputReaderTest, a_rank_that_goes_on_starves_no_later_attempt) {
  add(0, {}, 1);
  add(1, {}, 2);
  bytes(0) = std::string(1'000'000, 'x');
  output_.files[path(1, OutputStream::out, 2)].bytes = "short\n";
  drain();
  order_.resize(3);
  EXPECT_THAT(order_, ElementsAre(0, 1, 0));
}

TEST_F(OutputReaderTest, ranks_end_apart_from_others_of_their_attempt) {
  add(0);
  add(1);
  reader_.end(1, {0});
  drain();
  EXPECT_FALSE(reader_.finished());
  bytes(1) = "goes on\n";
  reader_.changed(1);
  drain();
  EXPECT_EQ(got_[1], "goes on\n");
  reader_.end(1, {1});
  drain();
  EXPECT_TRUE(reader_.finished());
}

TEST_F(OutputReaderTest, goes_on_from_where_a_viewer_was) {
  bytes(0) = "hello world\n";
  add(0, {.offset = 6});
  drain();
  EXPECT_EQ(got_[0], "world\n");
  EXPECT_EQ(starts_[0], 6u);
}

TEST_F(OutputReaderTest, the_last_lines_only) {
  bytes(0) = std::string(1'000'000, 'x') + "\none\ntwo\n";
  bytes(1) = "three\n";
  add(0, {.tail_lines = 2});
  add(1, {.tail_lines = 2});
  add(2, {.tail_lines = 2});
  drain();
  EXPECT_EQ(got_[0], "one\ntwo\n");
  EXPECT_EQ(got_[1], "three\n");
  bytes(0) += "three\n";
  reader_.changed(1);
  drain();
  EXPECT_EQ(got_[0], "one\ntwo\nthree\n");
}

TEST_F(OutputReaderTest, a_tail_is_searched_in_bounded_steps_and_bounded_far) {
  bytes(0) = std::string(80 << 20, 'x');
  add(0, {.tail_lines = 2});
  output_.on_read = [this] { EXPECT_LE(output_.reads, 2); };
  for (OutputRead read = reader_.next(); read.kind == OutputRead::Kind::working; read = reader_.next())
    output_.reads = 0;
  output_.on_read = nullptr;
  drain();
  // The loop above took the first chunk.
  EXPECT_EQ(starts_[0], (16u << 20) + 65'536);
}

TEST_F(OutputReaderTest, since_begins_with_the_line_that_was_being_written) {
  bytes(0) = "one\ntwo\nthree\nfour\n";
  output_.files["1/r-0.times"].bytes =
      encode_sizes({from_unix_nanos(10), 6, 0}) + encode_sizes({from_unix_nanos(20), 14, 0});
  add(0, {.since = from_unix_nanos(15)});
  drain();
  EXPECT_EQ(got_[0], "two\nthree\nfour\n");
}

TEST_F(OutputReaderTest, since_without_an_index_shows_all_and_with_a_tail_the_later) {
  bytes(0) = "one\ntwo\nthree\nfour\n";
  bytes(1) = bytes(0);
  output_.files["1/r-1.times"].bytes = encode_sizes({from_unix_nanos(10), 8, 0});
  add(0, {.since = from_unix_nanos(15)});
  add(1, {.tail_lines = 1, .since = from_unix_nanos(15)});
  reader_.add({1, 2, OutputStream::out, path(1), {.tail_lines = 99, .since = from_unix_nanos(15)}});
  drain();
  EXPECT_EQ(got_[0], bytes(0));
  EXPECT_EQ(got_[1], "four\n");
  EXPECT_EQ(got_[2], "three\nfour\n");
}

TEST_F(OutputReaderTest, says_what_was_dropped_and_never_shows_zeros) {
  bytes(0) = std::string(300'000, 'x');
  add(0);
  ASSERT_EQ(reader_.next().chunk.bytes.size(), 65'536u);
  // Dropped while it is being read.
  output_.on_read = [this] { output_.files[path(0)].kept = 250'000; };
  drain();
  EXPECT_EQ(got_[0], std::string(50'000, 'x'));
  EXPECT_EQ(dropped_, 250'000u - 65'536u);
  EXPECT_EQ(starts_[0], 250'000u);
}

TEST_F(OutputReaderTest, all_dropped_is_told_with_the_next_bytes) {
  bytes(0) = std::string(1000, 'x');
  output_.files[path(0)].kept = 1000;
  add(0);
  drain();
  EXPECT_TRUE(got_.empty());
  bytes(0) += "new\n";
  reader_.changed(1);
  drain();
  EXPECT_EQ(got_[0], "new\n");
  EXPECT_EQ(dropped_, 1000u);
}

TEST_F(OutputReaderTest, what_a_tail_leaves_out_was_not_dropped) {
  bytes(0) = std::string(1000, '\n') + "last\n";
  output_.files[path(0)].kept = 500;
  add(0, {.tail_lines = 1});
  drain();
  EXPECT_EQ(got_[0], "last\n");
  EXPECT_EQ(dropped_, 0u);
}

TEST_F(OutputReaderTest, a_program_that_truncates_its_output_is_followed) {
  bytes(0) = "a long beginning\n";
  add(0);
  drain();
  bytes(0) = "";
  reader_.changed(1);
  drain();
  bytes(0) = "again\n";
  reader_.changed(1);
  drain();
  EXPECT_EQ(got_[0], "a long beginning\nagain\n");
}

TEST_F(OutputReaderTest, whatever_the_ranks_write_when_each_arrives_whole) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    OutputReader reader(output_);
    std::map<uint32_t, std::string> got;
    for (uint32_t index = 0; index < 4; ++index) {
      output_.files[path(index)] = {};
      reader.add({1, index, OutputStream::out, path(index), {}});
    }
    for (int step = 0; step < 200; ++step) {
      std::string& file = bytes(static_cast<uint32_t>(random.below(4)));
      if (random.below(3) == 0) file += std::string(random.below(100'000), static_cast<char>('a' + step % 26));
      if (random.below(2) == 0) reader.changed(1);
      const OutputRead read = reader.next();
      got[read.chunk.position.index] += read.chunk.bytes;
    }
    reader.end(1, {0, 1, 2, 3});
    while (!reader.finished()) {
      const OutputRead read = reader.next();
      got[read.chunk.position.index] += read.chunk.bytes;
    }
    for (uint32_t index = 0; index < 4; ++index) ASSERT_EQ(got[index], bytes(index)) << "seed " << seed;
  }
}

// The spans as "rank offset+length".
std::vector<std::string> spans_of(OutputReader& reader) {
  std::vector<std::string> spans;
  for (OutputRead read = reader.next(); read.kind != OutputRead::Kind::drained; read = reader.next()) {
    EXPECT_NE(read.kind, OutputRead::Kind::chunk);
    const OutputSpan& span = read.span;
    const std::string dropped = read.dropped > 0 ? " after " + std::to_string(read.dropped) : "";
    if (read.kind == OutputRead::Kind::span)
      spans.push_back(std::to_string(span.position.index) + " " + std::to_string(span.position.offset) + "+" +
                      std::to_string(span.length) + dropped);
  }
  return spans;
}

TEST_F(OutputReaderTest, in_place_says_where_the_bytes_lie_and_reads_none) {
  OutputReader reader(output_, true);
  for (uint32_t index = 0; index < 2; ++index) reader.add({1, index, OutputStream::out, path(index), {}});
  EXPECT_THAT(spans_of(reader), ElementsAre());
  bytes(0) = std::string(2'500'000, 'x');
  bytes(1) = "short\n";
  reader.changed(1);
  EXPECT_THAT(spans_of(reader), ElementsAre("0 0+1048576", "1 0+6", "0 1048576+1048576", "0 2097152+402848"));
  bytes(1) += "end\n";
  reader.end(1, {0, 1});
  EXPECT_THAT(spans_of(reader), ElementsAre("1 6+4"));
  EXPECT_TRUE(reader.finished());
  EXPECT_EQ(output_.reads, 0);
}

TEST_F(OutputReaderTest, in_place_a_chosen_start_is_told_even_where_nothing_is_to_be_shown) {
  OutputReader reader(output_, true);
  bytes(0) = "one\ntwo\n";
  bytes(1) = "three\n";
  reader.add({1, 0, OutputStream::out, path(0), {.tail_lines = 1}});
  reader.add({1, 1, OutputStream::out, path(1), {.tail_lines = 0}});
  reader.add({1, 2, OutputStream::out, path(2), {}});
  EXPECT_THAT(spans_of(reader), testing::UnorderedElementsAre("0 4+4", "1 6+0"));
}

TEST_F(OutputReaderTest, in_place_says_what_was_dropped) {
  OutputReader reader(output_, true);
  bytes(0) = "one\ntwo\nthree\n";
  output_.files[path(0)].kept = 5;
  reader.add({1, 0, OutputStream::out, path(0), {}});
  EXPECT_THAT(spans_of(reader), ElementsAre("0 8+6 after 8"));
}

TEST(OutputStart, resume_overrides_and_the_rest_is_as_asked) {
  FollowRequest request;
  request.tail_lines = 5;
  EXPECT_EQ(start_of(request, 1, 0, OutputStream::out).tail_lines, 5u);
  request.resume = {{1, 0, OutputStream::out, 77}};
  EXPECT_EQ(start_of(request, 1, 0, OutputStream::out).offset, 77u);
  EXPECT_EQ(start_of(request, 1, 0, OutputStream::err).offset, std::nullopt);
  EXPECT_EQ(start_of(request, 1, 0, OutputStream::err).tail_lines, std::nullopt);
}

}  // namespace
}  // namespace muster
