// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "backends/kubernetes/manifest/manifest_parts.h"

namespace muster {
namespace {

TEST(Quantities, AreThoseOfKubernetes) {
  for (const char* right : {"0", "1", "500m", "1.5", ".5", "5.", "16Gi", "100k", "2E", "1e3", "1E-3", "3Ei"})
    EXPECT_TRUE(is_quantity(right)) << right;
  for (const char* wrong : {"", ".", "-1", "16GiB", "8GB", "1.2.3", "Gi", "1 Gi", "1K", "1ki", "e3", "1e", "0x10"})
    EXPECT_FALSE(is_quantity(wrong)) << wrong;
}

TEST(Quantities, AreGuessed) {
  EXPECT_EQ(nearest_quantity("16GiB"), "16Gi");
  EXPECT_EQ(nearest_quantity("8GB"), "8G");
  EXPECT_EQ(nearest_quantity("8 gb"), "8G");
  EXPECT_EQ(nearest_quantity("64K"), "64k");
  EXPECT_EQ(nearest_quantity("64kib"), "64Ki");
  EXPECT_EQ(nearest_quantity("many"), "");
  EXPECT_EQ(nearest_quantity("1 "), "");
  EXPECT_EQ(nearest_quantity("5 parrots"), "5P");
}

TEST(Names, AreThoseOfKubernetes) {
  EXPECT_TRUE(is_dns_label("a-1"));
  for (const char* wrong : {"", "-a", "a-", "A", "a.b", "a_b"}) EXPECT_FALSE(is_dns_label(wrong)) << wrong;
  EXPECT_FALSE(is_dns_label(std::string(64, 'a')));
  EXPECT_TRUE(is_dns_name("a.b-c.d"));
  EXPECT_FALSE(is_dns_name("a..b"));
  for (const char* right : {"a", "nvidia.com/gpu", "example.com/A_b.c"}) EXPECT_TRUE(is_label_key(right)) << right;
  for (const char* wrong : {"", "/a", "a/", "a/b/c", "A.com/b", "a b"}) EXPECT_FALSE(is_label_key(wrong)) << wrong;
  for (const char* right : {"", "a", "A_b.c-1"}) EXPECT_TRUE(is_label_value(right)) << right;
  for (const char* wrong : {"-a", "a b", "a/b"}) EXPECT_FALSE(is_label_value(wrong)) << wrong;
}

}  // namespace
}  // namespace muster
