// SPDX-License-Identifier: Apache-2.0
#include "core/job/pods/merge_patch.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(MergePatch, JoinsMapsAndTakesKeysAway) {
  EXPECT_EQ(merge_patch(R"({"a":{"b":1,"c":2},"d":3})", R"({"a":{"b":null,"e":4},"d":{"f":5}})"),
            R"({"a":{"c":2,"e":4},"d":{"f":5}})");
  EXPECT_EQ(merge_patch(R"({"a":1})", R"({"b":{"c":null}})"), R"({"a":1,"b":{}})");
}

TEST(MergePatch, JoinsListsByName) {
  EXPECT_EQ(merge_patch(R"({"x":[{"name":"a","v":1},{"name":"b","v":2}]})",
                        R"({"x":[{"name":"b","v":3},{"name":"c"},{"name":"a","$patch":"delete"}]})"),
            R"({"x":[{"name":"b","v":3},{"name":"c"}]})");
}

TEST(MergePatch, JoinsMountsByTheirPath) {
  EXPECT_EQ(merge_patch(R"({"volumeMounts":[{"name":"a","mountPath":"/a"}]})",
                        R"({"volumeMounts":[{"name":"a","mountPath":"/b"},{"name":"c","mountPath":"/a"}]})"),
            R"({"volumeMounts":[{"name":"c","mountPath":"/a"},{"name":"a","mountPath":"/b"}]})");
  EXPECT_EQ(merge_patch(R"({"volumeMounts":[{"name":"a","mountPath":"/a"},{"name":"b","mountPath":"/b"}]})",
                        R"({"volumeMounts":[{"name":"a","$patch":"delete"}]})"),
            R"({"volumeMounts":[{"name":"b","mountPath":"/b"}]})");
}

TEST(MergePatch, AVerbIsAWord) {
  EXPECT_EQ(merge_patch(R"({"x":[{"name":"a"}]})", R"({"x":[{"name":"a","$patch":5}]})"),
            R"({"x":[{"name":"a","$patch":5}]})");
}

TEST(MergePatch, ReplacesOtherLists) {
  EXPECT_EQ(merge_patch(R"({"x":[1,2],"y":[{"key":"a"}]})", R"({"x":[3],"y":[{"name":"b"}]})"),
            R"({"x":[3],"y":[{"name":"b"}]})");
}

}  // namespace
}  // namespace muster
