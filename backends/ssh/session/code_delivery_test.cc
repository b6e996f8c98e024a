// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/code_delivery.h"

#include "backends/ssh/session/stand_in_host.h"
#include "core/base/ids.h"

namespace muster {
namespace {

class CodeDeliveryTest : public StandInHostTest {
 protected:
  // The script of muster on the host after it has read the order.
  void there(const std::string& script) const {
    write("muster", "#!/bin/sh\n[ \"$1\" = version ] && exit 0\nread -r order\n" + script + "\n");
  }

  void deliver() {
    Random random(1);
    const CodeOrder order{JobId::make(random).text(), std::string(32, 'a'), content_.size(), "/code", 1, 2};
    std::ofstream(folder_ + "/archive") << content_;
    bool over = false;
    CodeDelivery delivery(
        loop_, access(), "a1", order, folder_ + "/" + archive_, [&] { ++arrivals_; },
        [&](const auto& trouble) {
          trouble_ = trouble;
          over = true;
        });
    ASSERT_TRUE(run_until(loop_, [&] { return over; }));
    sent_ = delivery.sent_bytes();
  }

  std::string arrived() const {
    std::ifstream file(folder_ + "/arrived", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string content_ = std::string(1 << 20, 'x') + "end";
  std::optional<ssh::SshTrouble> trouble_;
  uint64_t sent_ = 0;
  int arrivals_ = 0;
  std::string archive_ = "archive";
};

TEST_F(CodeDeliveryTest, TheArchiveArrivesWhereItIsNeeded) {
  there("echo need; head -c " + std::to_string(content_.size()) + " >" + folder_ + "/arrived; echo ready");
  deliver();
  EXPECT_FALSE(trouble_) << trouble_->sentence;
  EXPECT_EQ(arrived(), content_);
  EXPECT_EQ(sent_, content_.size());
  EXPECT_EQ(arrivals_, 1);
}

TEST_F(CodeDeliveryTest, NothingTravelsWhereItIsThere) {
  there("echo ready");
  deliver();
  EXPECT_FALSE(trouble_);
  EXPECT_EQ(sent_, 0u);
}

TEST_F(CodeDeliveryTest, WhatWentWrongThereIsSaid) {
  there("echo need; head -c 100 >/dev/null; echo 'error: No space left on device' >&2; exit 1");
  deliver();
  ASSERT_TRUE(trouble_);
  EXPECT_EQ(trouble_->sentence, "it could not store the job's code: error: No space left on device");
}

TEST_F(CodeDeliveryTest, AnArchiveThatIsGoneIsToldThoughTheHostEndsMeanwhile) {
  there("echo need; exit 1");
  archive_ = "none";
  deliver();
  ASSERT_TRUE(trouble_);
  EXPECT_NE(trouble_->sentence.find("the snapshot of the job's code is missing"), std::string::npos);
}

TEST_F(CodeDeliveryTest, OneThatEndsWithoutAWordIsNoSuccess) {
  there("exit 0");
  deliver();
  EXPECT_TRUE(trouble_);
}

}  // namespace
}  // namespace muster
