// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Secrets : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/muster-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    spec.workdir = name;
  }
  void TearDown() override { std::filesystem::remove_all(spec.workdir); }

  ResolvedSecrets resolve(SecretSource source) {
    spec.env["TOKEN"].secret = std::move(source);
    return resolve_secrets(spec, {{"PATH", "/usr/bin:/bin"}}, {}, "job.yaml");
  }
  void write(const std::string& name, std::string_view text) {
    std::ofstream(spec.workdir + "/" + name, std::ios::binary) << text;
  }

  JobSpec spec;
};

TEST_F(Secrets, LastLineEnd_IsLeftOut) {
  write("key", "one\ntwo\r\n");
  EXPECT_EQ(resolve({SecretSource::Kind::file, "key"}).values.at("TOKEN"), "one\ntwo");
}

TEST_F(Secrets, ValueWithANulByte_IsRefused) {
  write("key", std::string_view("be\0fore", 7));
  const ResolvedSecrets resolved = resolve({SecretSource::Kind::file, "key"});
  ASSERT_EQ(resolved.diagnostics.size(), 1u);
  EXPECT_EQ(resolved.diagnostics[0].code, "E1404");
  EXPECT_EQ(resolved.diagnostics[0].message,
            "no value for the secret `TOKEN`: `key` contains a NUL byte, which a variable cannot have");
  EXPECT_THAT(resolved.diagnostics[0].help, HasSubstr("base64"));
  EXPECT_THAT(resolved.values, IsEmpty());
}

TEST_F(Secrets, Folder_IsRefused) {
  std::filesystem::create_directory(spec.workdir + "/keys");
  const ResolvedSecrets resolved = resolve({SecretSource::Kind::file, "keys"});
  ASSERT_EQ(resolved.diagnostics.size(), 1u);
  EXPECT_EQ(resolved.diagnostics[0].message, "no value for the secret `TOKEN`: `keys` is a folder");
}

TEST_F(Secrets, CommandPrintsTooMuch_IsRefused) {
  const ResolvedSecrets resolved = resolve({SecretSource::Kind::cmd, "head -c 65537 /dev/zero"});
  ASSERT_EQ(resolved.diagnostics.size(), 1u);
  EXPECT_THAT(resolved.diagnostics[0].message, HasSubstr("printed more than 64 KiB"));
}

TEST_F(Secrets, OptionalWithoutAValue_IsNotSet) {
  const ResolvedSecrets resolved = resolve({SecretSource::Kind::file, "none", true});
  EXPECT_THAT(resolved.diagnostics, IsEmpty());
  EXPECT_THAT(resolved.values, IsEmpty());
}

}  // namespace
}  // namespace muster
