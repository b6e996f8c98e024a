// SPDX-License-Identifier: Apache-2.0
#include "core/job/fetch_order.h"

#include <gtest/gtest.h>

#include "core/base/ids.h"
#include "core/base/random.h"

namespace muster {
namespace {

TEST(FetchOrder, ComesBackAsItWas) {
  Random random(3);
  for (const FetchOrder& order :
       {FetchOrder{JobId::make(random).text(), "", {"out put/a.pt", "-x"}}, FetchOrder{"", "/home/mia", {"\n"}}}) {
    const auto back = fetch_order_from(to_line(order));
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(*back, order);
  }
}

TEST(FetchOrder, OthersAreRefused) {
  for (const char* text : {"", "{}", R"({"job":"../x","folder":"","paths":["a"]})",
                           R"({"job":"","folder":"relative","paths":["a"]})", R"({"job":"","folder":"/a","paths":[]})"})
    EXPECT_FALSE(fetch_order_from(text).ok()) << text;
}

}  // namespace
}  // namespace muster
