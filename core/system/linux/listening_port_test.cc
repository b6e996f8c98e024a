// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/listening_port.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:5B25 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 100 1\n"
    "   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 101 1\n"
    "   2: 0100007F:0016 00000000:0000 06 00000000:00000000 00:00000000 00000000     0        0 102 1\n";

TEST(ListeningPort, ATable_NamesOnlyPortsThatAreOpen) {
  EXPECT_TRUE(listens_in(kTable, 0x5B25));
  EXPECT_FALSE(listens_in(kTable, 0xC350)) << "the local end of a connection";
  EXPECT_FALSE(listens_in(kTable, 0x1F90)) << "the remote end of a connection";
  EXPECT_FALSE(listens_in(kTable, 0x0016)) << "the rest of a connection";
  EXPECT_FALSE(listens_in("", 22));
}

}  // namespace
}  // namespace muster
