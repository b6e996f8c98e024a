// SPDX-License-Identifier: Apache-2.0
#include "core/journal/consequence.h"

#include <gtest/gtest.h>

#include <csignal>

namespace muster {
namespace {

ExitStatus killed(int signal, bool asked) {
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = signal;
  exit.asked = asked;
  return exit;
}

ExitStatus said(const std::string& detail) {
  ExitStatus exit;
  exit.code = 1;
  exit.detail = detail;
  return exit;
}

TEST(Consequence, WhoWasStopped) {
  EXPECT_EQ(consequence_of("rank 0", killed(SIGTERM, true), {}), "rank 0 was stopped because of it");
  EXPECT_EQ(consequence_of("rank 0", killed(SIGKILL, true), {}), "rank 0 was stopped because of it, by SIGKILL");
  EXPECT_EQ(consequence_of("rank 0", killed(SIGTERM, false), {}), "rank 0 was killed by SIGTERM");
}

// Its traceback was written before the signal ended it.
TEST(Consequence, WhoHadRaisedBeforeItWasStopped) {
  ExitStatus exit = killed(SIGTERM, true);
  exit.detail = "ValueError: y";
  EXPECT_EQ(consequence_of("rank 0", exit, {}), "rank 0 was stopped because of it");
  exit.trace = "Traceback (most recent call last):\nValueError: y\n";
  EXPECT_EQ(consequence_of("rank 0", exit, {}), "rank 0 raised ValueError: y");
}

TEST(Consequence, WhoLostItsPeerAndWhoFailedLikeIt) {
  const ExitStatus gloo = said("RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer");
  EXPECT_EQ(consequence_of("rank 2", gloo, said("ValueError: x")), "rank 2 lost its connection to it (gloo)");
  EXPECT_EQ(consequence_of("rank 2", said("ValueError: x"), said("ValueError: x")), "rank 2 raised the same exception");
  EXPECT_EQ(consequence_of("rank 2", said("oops"), said("oops")), "rank 2 ended in the same way");
  EXPECT_EQ(consequence_of("rank 2", said("oops"), said("ah")), "rank 2 exited with code 1: oops");
}

}  // namespace
}  // namespace muster
