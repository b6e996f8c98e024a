// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/protocol.h"

#include <gtest/gtest.h>

#include "core/node/torch_store/wire_test.h"

namespace muster::tcpstore {
namespace {

using Found = RequestReader::Found;

Found read(std::string_view bytes, Dialect dialect, Request& request, const Limits& limits = {}) {
  return RequestReader(limits).read(bytes, dialect, request);
}

TEST(Dialect, IsToldByTheFirstBytes) {
  size_t greeting = 0;
  EXPECT_EQ(dialect_of("", greeting), Dialect::unknown);
  EXPECT_EQ(dialect_of(std::string_view("\0\xce\xf7\x85", 4), greeting), Dialect::unknown);
  EXPECT_EQ(dialect_of(std::string_view("\0\xce\xf7\x85\x3c", 5), greeting), Dialect::current);
  EXPECT_EQ(greeting, 5u);
  EXPECT_EQ(dialect_of(greeting_of(Dialect::carrier), greeting), Dialect::carrier);
  EXPECT_EQ(dialect_of("\x03", greeting), Dialect::old);
  EXPECT_EQ(greeting, 0u);
}

TEST(Dialect, AFirstSetOfAnOldClientIsNoGreeting) {
  size_t greeting = 0;
  EXPECT_EQ(dialect_of(old_set("/a", "b"), greeting), Dialect::old);
  EXPECT_EQ(greeting, 0u);
}

TEST(RequestReader, ReadsTheCapturesOfTorch215) {
  Request request;
  ASSERT_EQ(read(std::string_view("\1\2\0\0\0\0\0\0\0/k\1\0\0\0\0\0\0\0v", 20), Dialect::current, request),
            Found::whole);
  EXPECT_EQ(request.op, Op::set);
  EXPECT_EQ(request.keys, std::vector<std::string_view>{"/k"});
  EXPECT_EQ(request.values, std::vector<std::string_view>{"v"});
  ASSERT_EQ(read(std::string_view("\4\2\0\0\0\0\0\0\0/n\5\0\0\0\0\0\0\0", 19), Dialect::current, request),
            Found::whole);
  EXPECT_EQ(request.op, Op::add);
  EXPECT_EQ(request.number, 5);
  ASSERT_EQ(read("\x11", Dialect::current, request), Found::whole);
  EXPECT_EQ(request.op, Op::list_keys);
}

TEST(RequestReader, TheSameCodeIsAnotherRequestInTheOldDialect) {
  Request request;
  ASSERT_EQ(read(code(7) + text("/w"), Dialect::old, request), Found::whole);
  EXPECT_EQ(request.op, Op::watch_key);
  EXPECT_TRUE(request.old);
  ASSERT_EQ(read(code(7), Dialect::current, request), Found::whole);
  EXPECT_EQ(request.op, Op::num_keys);
  EXPECT_EQ(read(code(13), Dialect::old, request), Found::bad);
  EXPECT_EQ(read(code(0), Dialect::current, request), Found::bad);
  EXPECT_EQ(read(code(19), Dialect::current, request), Found::bad);
}

TEST(RequestReader, GoesOnWhereTheBytesEnded) {
  const Limits limits;
  const std::string whole = code(11) + number(2) + text("a") + text("1") + text("b") + text("2");
  RequestReader reader(limits);
  Request request;
  for (size_t size = 0; size < whole.size(); ++size)
    ASSERT_EQ(reader.read({whole.data(), size}, Dialect::current, request), Found::part) << size;
  const std::string more = whole + "next";
  ASSERT_EQ(reader.read(more, Dialect::current, request), Found::whole);
  EXPECT_EQ(reader.size(), whole.size());
  EXPECT_EQ(request.keys, (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(request.values, (std::vector<std::string_view>{"1", "2"}));
}

TEST(RequestReader, RefusesALengthBeforeItsBytesAreThere) {
  const Limits limits;
  Request request;
  EXPECT_EQ(read(code(3) + number(limits.key), Dialect::current, request), Found::part);
  EXPECT_EQ(read(code(3) + number(limits.key + 1), Dialect::current, request), Found::bad);
  EXPECT_EQ(read(code(3) + number(~0ull), Dialect::current, request), Found::bad);
  EXPECT_EQ(read(code(1) + text("k") + number(limits.value), Dialect::current, request), Found::part);
  EXPECT_EQ(read(code(1) + text("k") + number(limits.value + 1), Dialect::current, request), Found::bad);
  EXPECT_EQ(read(code(5) + number(limits.keys), Dialect::current, request), Found::part);
  EXPECT_EQ(read(code(5) + number(limits.keys + 1), Dialect::current, request), Found::bad);
}

TEST(RequestReader, RefusesARequestThatIsTooLongAsAWhole) {
  Limits limits;
  limits.request = 64;
  Request request;
  const std::string head = code(5) + number(9);
  EXPECT_EQ(read(head + text(std::string(20, 'a')) + number(19), Dialect::current, request, limits), Found::part);
  EXPECT_EQ(read(head + text(std::string(20, 'a')) + number(20), Dialect::current, request, limits), Found::bad);
}

}  // namespace
}  // namespace muster::tcpstore
