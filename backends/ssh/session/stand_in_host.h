// SPDX-License-Identifier: Apache-2.0
// A host without a network: the shell script stand_in_ssh runs the remote command on this machine, as an sshd would.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "backends/ssh/session/host_session.h"
#include "backends/ssh/session/packed_program.h"
#include "core/system/asio/run_until.h"

namespace muster {

class StandInHostTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "host-session-XXXXXX";
    folder_ = mkdtemp(name.data());
    write("muster", "#!/bin/sh\n[ \"$1\" = version ] && exit 0\nread word\necho $0 $1 heard $word\nexit 5\n");
    write("loader", "#!/bin/sh\nexit 1\n");
    stand_in("");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    chmod((folder_ + "/" + name).c_str(), 0700);
  }

  // `first`: commands of the account's start-up files.
  void stand_in(const std::string& first) const {
    write("stand_in_ssh", "#!/bin/sh\nexport HOME='" + folder_ + "/home of mia'\nmkdir -p \"$HOME\"\n" + first +
                              "\nfor word; do last=$word; done\nexec $last\n");
  }

  std::shared_ptr<HostAccess> access() {
    const std::string program = folder_ + "/muster";
    auto access = std::make_shared<HostAccess>();
    access->ssh = folder_ + "/stand_in_ssh";
    access->environment = {{"PATH", "/usr/bin:/bin"}};
    access->hash = *ssh::content_hash(program);
    access->mark = "aa11bb22";
    access->program = [this, program] {
      ++packed_;
      return std::make_shared<const std::string>(*ssh::packed(program));
    };
    access->libraries = [this] {
      ++asked_for_libraries_;
      return std::make_shared<const std::string>(
          *ssh::libraries_for_hosts({{ssh::kLoader, folder_ + "/loader"}, {"libc.so.6", folder_ + "/loader"}}));
    };
    return access;
  }

  AsioLoop loop_;
  std::string folder_;
  int packed_ = 0;
  int asked_for_libraries_ = 0;
};

}  // namespace muster
