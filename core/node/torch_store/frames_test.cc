// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/frames.h"

#include <gtest/gtest.h>

namespace muster::tcpstore {
namespace {

TEST(FrameReader, FindsEachClientsBytesHoweverTheyAreCut) {
  std::string whole;
  put_frame(whole, 1, "first");
  put_frame(whole, 70000, "second");
  put_frame(whole, 1, "");
  for (size_t step = 1; step <= whole.size(); ++step) {
    FrameReader reader;
    std::string first, second;
    int gone = 0;
    for (size_t at = 0; at < whole.size(); at += step) {
      std::string_view bytes = std::string_view(whole).substr(at, step);
      for (Piece piece; reader.next(bytes, piece);) {
        (piece.client == 1 ? first : second) += piece.bytes;
        if (piece.bytes.empty()) gone += piece.client == 1 ? 1 : 100;
      }
      EXPECT_TRUE(bytes.empty());
    }
    EXPECT_EQ(first + "|" + second, "first|second") << step;
    EXPECT_EQ(gone, 1) << step;
  }
}

}  // namespace
}  // namespace muster::tcpstore
