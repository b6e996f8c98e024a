// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/host_script.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/ssh/session/ssh_words.h"

namespace muster::ssh {
namespace {

TEST(HostScriptTest, NothingOfItIsLeftOpenAndItFitsAShellsBuffer) {
  const std::string script = host_script("ab12", "0123", {"facts"});
  EXPECT_EQ(script.find('@'), std::string::npos) << script;
  EXPECT_NE(script.find("exec \"$p\" facts"), std::string::npos);
  EXPECT_LT(script.size(), 4096u);
}

TEST(HostScriptTest, OnlyLinesWithTheMarkAreHeard) {
  EXPECT_EQ(read_host_word("Welcome to a1!", "ab").kind, HostWord::Kind::noise);
  EXPECT_EQ(read_host_word("cd have /x", "ab").kind, HostWord::Kind::noise);
  EXPECT_EQ(read_host_word("ab havent /x", "ab").kind, HostWord::Kind::noise);
  EXPECT_EQ(read_host_word("ab have /home/mia r/.cache/muster\r", "ab").folder, "/home/mia r/.cache/muster");
  EXPECT_EQ(read_host_word("ab need /x", "ab").kind, HostWord::Kind::need);
  EXPECT_FALSE(read_host_word("ab need /x", "ab").has_zstd);
  EXPECT_EQ(read_host_word("ab need-zstd /x y", "ab").kind, HostWord::Kind::need);
  EXPECT_TRUE(read_host_word("ab need-zstd /x y", "ab").has_zstd);
  EXPECT_EQ(read_host_word("ab need-zstd /x y", "ab").folder, "/x y");
  EXPECT_EQ(read_host_word("ab got", "ab").kind, HostWord::Kind::got);
  EXPECT_EQ(read_host_word("ab nowhere ", "ab").kind, HostWord::Kind::nowhere);
  EXPECT_EQ(read_host_word("ab unfit", "ab").kind, HostWord::Kind::unfit);
}

TEST(SshWordsTest, AHostIsNeverAnOptionAndNothingIsForwarded) {
  const auto words = ssh_arguments("a1", false, "");
  ASSERT_GE(words.size(), 3u);
  EXPECT_EQ(words[words.size() - 3], "--");
  EXPECT_EQ(words[words.size() - 2], "a1");
  EXPECT_EQ(words.back(), "sh");
  for (const char* option : {"BatchMode=yes", "ClearAllForwardings=yes", "ForwardAgent=no"})
    EXPECT_NE(std::find(words.begin(), words.end(), option), words.end()) << option;
}

TEST(SshWordsTest, HostKeysAreNeverWavedThrough) {
  for (const std::string& word : ssh_arguments("a1", true, "/run/m/ssh-1"))
    EXPECT_EQ(word.find("StrictHostKeyChecking"), word.npos);
}

TEST(SshWordsTest, TroublesHaveASentenceAndWhatToType) {
  const SshTrouble unknown = ssh_trouble("a1", 255, "Host key verification failed.\r\n");
  EXPECT_EQ(unknown.sentence, "its host key is not in known_hosts");
  EXPECT_EQ(unknown.next, "run ssh a1, compare the key and answer yes");
  EXPECT_TRUE(unknown.asks);
  const SshTrouble changed =
      ssh_trouble("a1", 255, "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.\n");
  EXPECT_FALSE(changed.asks) << "muster never asks whether a changed key is accepted";
  EXPECT_EQ(ssh_trouble("a1", 255, "mia@a1: Permission denied (publickey).").sentence, "it refused the ssh login");
  EXPECT_EQ(ssh_trouble("a1", 255, "something\nnew: \x1b[31mtrouble\n").sentence, "ssh failed: new: \\x1b[31mtrouble");
}

TEST(SshWordsTest, TooManyKeys_Advice_KeepsSshFromOfferingThoseOfTheAgent) {
  const SshTrouble trouble =
      ssh_trouble("a1", 255, "Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures\r\n");
  EXPECT_EQ(trouble.sentence, "it refused the ssh login, because ssh offered too many keys");
  EXPECT_NE(trouble.next.find("under Host a1, the lines `IdentityFile ~/.ssh/KEY` and `IdentitiesOnly yes`"),
            std::string::npos)
      << trouble.next;
}

TEST(SshWordsTest, WhatTheShellSaysIsNotTakenForSshs) {
  EXPECT_EQ(ssh_trouble("a1", 1, "Permission denied\n").sentence, "its shell exited with code 1: Permission denied");
  EXPECT_EQ(ssh_trouble("a1", 127, "").sentence, "its login shell cannot find `sh`");
}

}  // namespace
}  // namespace muster::ssh
