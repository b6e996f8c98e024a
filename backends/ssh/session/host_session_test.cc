// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/host_session.h"

#include <sys/socket.h>

#include "backends/ssh/session/stand_in_host.h"

#include "backends/ssh/session/host_script.h"
#include "core/base/random.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

class HostSessionTest : public StandInHostTest {
 protected:
  // Runs a session until it fails or muster on the host ends.
  void visit() { visit(access()); }
  void visit(const std::shared_ptr<const HostAccess>& access) {
    HostSession session(
        loop_, access, "a1", false, {"facts"},
        {[this](HostArrival arrival) {
           arrival_ = std::move(arrival);
           EXPECT_EQ(send(arrival_->stream.get(), "hello\n", 6, MSG_NOSIGNAL), 6);
         },
         [this](const HelperEnd& end) { end_ = end; }, [this](const ssh::SshTrouble& trouble) { trouble_ = trouble; }});
    ASSERT_TRUE(run_until(loop_, [this] { return end_ || trouble_; }));
  }

  // Random content, so that the compressed program still has about `pieces` pieces.
  void write_program(size_t pieces) const {
    std::string noise;
    Random random(1);
    while (noise.size() < pieces * ssh::kPiece) {
      const uint64_t next = random.next();
      noise.append(reinterpret_cast<const char*>(&next), sizeof next);
    }
    write("muster", "#!/bin/sh\n[ \"$1\" = version ] && exit 0\nread word\necho $1 heard $word\nexit 5\n" + noise);
  }

  std::string heard() const {
    char buffer[512] = {};
    return recv(arrival_->stream.get(), buffer, sizeof buffer - 1, 0) > 0 ? buffer : "";
  }

  int as_zstd_ = 0;
  std::optional<HostArrival> arrival_;
  std::optional<HelperEnd> end_;
  std::optional<ssh::SshTrouble> trouble_;
};

TEST_F(HostSessionTest, ABuildIsSentOnceAndThenThere) {
  visit();
  ASSERT_TRUE(end_) << trouble_->sentence;
  const std::string cache = folder_ + "/home of mia/.cache/muster";
  EXPECT_EQ(arrival_->folder, cache);
  EXPECT_GT(arrival_->sent_bytes, 0u);
  EXPECT_EQ(heard(), cache + "/bin/" + access()->hash + "/muster facts heard hello\n");
  EXPECT_EQ(end_->code, 5);
  end_.reset();
  visit();
  ASSERT_TRUE(end_);
  EXPECT_EQ(arrival_->sent_bytes, 0u);
  EXPECT_EQ(packed_, 1);
}

TEST_F(HostSessionTest, ABuildOfManyPiecesArrivesWhole) {
  write_program(11);
  visit();
  ASSERT_TRUE(end_) << trouble_->sentence;
  const auto arrived = ssh::content_hash(arrival_->folder + "/bin/" + access()->hash + "/muster");
  EXPECT_EQ(arrived.ok() ? *arrived : arrived.status().message(), access()->hash);
  EXPECT_EQ(heard(), "facts heard hello\n");
}

// BusyBox's `head` reads more than it was asked for, and the rest is lost.
TEST_F(HostSessionTest, AHeadThatReadsAheadIsNotAsked) {
  write("head", "#!/bin/sh\nexec perl -e 'read STDIN, my $text, $ARGV[0]; print $text' \"$2\"\n");
  stand_in("PATH='" + folder_ + "':$PATH");
  write_program(11);
  visit();
  ASSERT_TRUE(end_) << trouble_->sentence;
  EXPECT_EQ(heard(), "facts heard hello\n");
}

// sshd buffers what a slow reader leaves, which costs more CPU with each packet.
TEST_F(HostSessionTest, WithEachPieceThatAHostHasTakenAnotherIsSent) {
  write_program(11);
  const std::string piece = std::to_string(ssh::kPiece), most = std::to_string(4 * ssh::kPiece);
  stand_in(
      "echo aa11bb22 need /x\nwhile read -r line; do case $line in '' | *[!0-9]*) ;; *) break ;; esac; done\n"
      "head -c " +
      most +
      " >/dev/null; dd bs=1 count=1 iflag=nonblock of=/dev/null 2>/dev/null && echo too much >&2\n"
      "for i in 1 2 3; do echo aa11bb22 got; head -c " +
      piece + " >/dev/null; done; echo enough >&2; exit 255");
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_EQ(trouble_->sentence, "ssh failed: enough");
}

TEST_F(HostSessionTest, AHostThatHasZstdIsTold) {
  write("zstd", "#!/bin/sh\nexec gzip \"$@\"\n");  // a stand-in that is called as zstd is
  stand_in("PATH='" + folder_ + "':$PATH");
  auto heard_of_both = access();
  heard_of_both->as_zstd = [&] {
    ++as_zstd_;
    return heard_of_both->program();
  };
  visit(heard_of_both);
  ASSERT_TRUE(end_) << trouble_->sentence;
  EXPECT_TRUE(heard().ends_with("heard hello\n"));
  EXPECT_EQ(as_zstd_, 1);
}

// A loader that runs a program whose interpreter does not exist on the host.
constexpr const char* kStandInLoader =
    "#!/bin/sh\n[ \"$1\" = --library-path ] && [ -e \"$2/libc.so.6\" ] && shift 2 && exec sh \"$@\"\n";

TEST_F(HostSessionTest, LibrariesAreSentOnceAndOnlyWhereItDoesNotStartWithout) {
  visit();
  EXPECT_EQ(asked_for_libraries_, 0);
  write("muster", "#!/nowhere/sh\n[ \"$1\" = version ] && exit 0\nread word\necho $0 $1 heard $word\n");
  write("loader", kStandInLoader);
  for (int i = 0; i < 2; ++i) {
    end_.reset();
    visit();
    ASSERT_TRUE(end_) << trouble_->sentence;
    EXPECT_TRUE(heard().ends_with(access()->hash + "/muster facts heard hello\n"));
  }
  EXPECT_EQ(asked_for_libraries_, 1);
}

TEST_F(HostSessionTest, WhatStartUpFilesPrintIsPassedOver) {
  stand_in(
      "echo Welcome; printf 'no end of line'; i=0; while [ $i -lt 2000 ]; do echo noise aa11bb2 $i; i=$((i+1)); done");
  visit();
  ASSERT_TRUE(end_) << trouble_->sentence;
  EXPECT_TRUE(heard().ends_with("heard hello\n"));
}

TEST_F(HostSessionTest, AnAccountThatNeverStopsPrintingIsLeft) {
  stand_in("exec yes");
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_EQ(trouble_->sentence, "its account prints too much at login");
}

TEST_F(HostSessionTest, TheNextFolderIsTakenWhereOneCannotBeUsed) {
  stand_in("export XDG_CACHE_HOME=/proc/none");
  visit();
  ASSERT_TRUE(end_) << trouble_->sentence;
  EXPECT_EQ(arrival_->folder, folder_ + "/home of mia/.cache/muster");
  end_.reset();
  stand_in("export XDG_CACHE_HOME='" + folder_ + "/xdg'");
  visit();
  ASSERT_TRUE(end_) << trouble_->sentence;
  EXPECT_EQ(arrival_->folder, folder_ + "/xdg/muster");
}

TEST_F(HostSessionTest, ABuildThatDoesNotRunThereIsNotKept) {
  write("muster", "#!/bin/sh\necho 'GLIBC_2.36 not found' >&2\nexit 1\n");
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_EQ(trouble_->sentence, "this build of muster does not run on it: GLIBC_2.36 not found");
  EXPECT_TRUE(fs::is_empty(folder_ + "/home of mia/.cache/muster/bin/" + access()->hash));
}

TEST_F(HostSessionTest, WhoCameFirstStaysWhereTwoBringTheProgramAtOnce) {
  // When it is tried, it does what another session does at the same time.
  write("muster",
        "#!/bin/sh\nif [ \"$1\" = version ]; then\n  cd \"${0%/*}\" && sed 's/echo/& already/' .new-* >muster && chmod "
        "700 muster\n  exit\n"
        "fi\nread word\necho $1 heard $word\n");
  visit();
  ASSERT_TRUE(end_) << trouble_->sentence;
  EXPECT_EQ(heard(), "already facts heard hello\n");
  for (const auto& entry : fs::directory_iterator(arrival_->folder + "/bin/" + access()->hash))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".new")) << entry.path();
}

TEST_F(HostSessionTest, TheProgramIsNotSentTwice) {
  stand_in("printf '%s need /x\\n%s need /x\\n' aa11bb22 aa11bb22; exec sleep 100");
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_EQ(trouble_->sentence, "it requested the program twice");
  EXPECT_EQ(packed_, 1);
}

TEST_F(HostSessionTest, AnEndAmidTheCopyIsTold) {
  stand_in("printf '%s need /x\\n' aa11bb22; echo 'connection reset' >&2; exit 255");
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_EQ(trouble_->sentence, "ssh failed: connection reset");
}

// Such an account ends scp and rsync, too.
TEST_F(HostSessionTest, Visit_StartUpFileEndsTheShell_NamesTheShellAndTheFiles) {
  stand_in("exit");
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_EQ(trouble_->sentence, "its login shell ended with code 0 before it ran a command");
  EXPECT_NE(trouble_->next.find("~/.bashrc, ~/.zshenv"), std::string::npos) << trouble_->next;
  trouble_.reset();
  stand_in("echo Welcome; echo This account is currently not available.; exit 1");
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_EQ(trouble_->sentence,
            "its login shell ended with code 1 before it ran a command; it printed: This account is currently not "
            "available.");
}

TEST_F(HostSessionTest, AHostWithoutAPlaceForAProgramIsTold) {
  stand_in("echo aa11bb22 nowhere; exit 3");
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_NE(trouble_->sentence.find("no folder where programs may run"), std::string::npos);
}

TEST_F(HostSessionTest, SshsOwnTroubleIsExplained) {
  stand_in("echo 'Host key verification failed.' >&2; exit 255");
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_TRUE(trouble_->asks);
  fs::remove(folder_ + "/stand_in_ssh");
  trouble_.reset();
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_NE(trouble_->sentence.find("stand_in_ssh"), std::string::npos) << trouble_->sentence;
}

}  // namespace
}  // namespace muster
