// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/hidden_secrets.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using ByVariable = std::map<std::string, std::string>;

const HiddenSecrets secrets(ByVariable{{"DIGIT", "7"}, {"KEY", "s3cret"}, {"TOKEN", "abcdef"}});

// Made up.
const std::string first_line = "-----BEGIN PRIVATE KEY-----";
const std::string second_line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
const std::string pem = first_line + "\n" + second_line + "\nAbC=\n-----END PRIVATE KEY-----\n";
const HiddenSecrets with_pem(ByVariable{{"PEM", pem}});

TEST(HiddenSecrets, EachValueIsToldByItsVariable) {
  EXPECT_EQ(secrets.hide("bad s3cret, abcdefabcdef and s3cret"), "bad [KEY], [TOKEN][TOKEN] and [KEY]");
  EXPECT_EQ(secrets.hide("nothing of it in 7 words"), "nothing of it in 7 words");
  EXPECT_EQ(secrets.hide(""), "");
}

TEST(HiddenSecrets, NoSecrets_TextStays) {
  const HiddenSecrets none(ByVariable{});
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.hide("bad s3cret"), "bad s3cret");
}

TEST(HiddenSecrets, AValueThatIsInItsOwnNameEnds) {
  EXPECT_EQ(HiddenSecrets(ByVariable{{"MY_KEY1", "KEY1"}}).hide("KEY1 KEY1"), "[MY_KEY1] [MY_KEY1]");
}

TEST(HiddenSecrets, ValueInAnother_LongerOneIsNamed) {
  const HiddenSecrets nested(ByVariable{{"A", "abcd"}, {"B", "xxabcdyy"}, {"C", "ydyyzzzz"}});
  EXPECT_EQ(nested.hide("xxabcdyy abcd"), "[B] [A]");
}

TEST(HiddenSecrets, OverlappingValues_NoRestIsLeft) {
  const HiddenSecrets overlapping(ByVariable{{"A", "abcdefgh"}, {"B", "ghijklmnop"}});
  EXPECT_EQ(overlapping.hide("see abcdefghijklmnop!"), "see [B]!");
}

TEST(HiddenSecrets, SeveralLines_EachIsHidden) {
  EXPECT_EQ(with_pem.hide("bad key " + first_line), "bad key [PEM]");
  EXPECT_EQ(with_pem.hide("ValueError: " + first_line + "\n    " + second_line + "\n"),
            "ValueError: [PEM]\n    [PEM]\n");
  EXPECT_EQ(with_pem.hide("all: " + pem + "."), "all: [PEM].");
  EXPECT_EQ(with_pem.hide("AbC= is too short"), "AbC= is too short");
}

TEST(HiddenSecrets, LinesEndWithCarriageReturns_EachIsHidden) {
  const HiddenSecrets dos(ByVariable{{"PEM", first_line + "\r\n" + second_line + "\r\n"}});
  EXPECT_EQ(dos.hide(first_line + "\n" + second_line), "[PEM]\n[PEM]");
}

TEST(HiddenSecrets, PrintedByPython_IsHidden) {
  EXPECT_EQ(with_pem.hide("bad key '" + first_line + R"(\n)" + second_line + R"(\nAbC=\n-----END PRIVATE KEY-----\n')"),
            "bad key '[PEM]'");
  const HiddenSecrets quoted(ByVariable{{"WORD", "it's a \"back\\slash\""}});
  EXPECT_EQ(quoted.hide(R"(bad 'it\'s a "back\\slash"')"), "bad '[WORD]'");
  EXPECT_EQ(quoted.hide(R"(bad "it's a \"back\\slash\"")"), "bad \"[WORD]\"");
}

TEST(HiddenSecrets, PrintedAsBytesOrJson_IsHidden) {
  const HiddenSecrets named(ByVariable{{"WORD", "grüße-an-alle"}});
  EXPECT_EQ(named.hide(R"(b'gr\xc3\xbc\xc3\x9fe-an-alle')"), "b'[WORD]'");
  EXPECT_EQ(named.hide(R"("gr\u00fc\u00dfe-an-alle")"), "\"[WORD]\"");
}

TEST(HiddenSecrets, PrintedByAShell_IsHidden) {
  const HiddenSecrets quoted(ByVariable{{"WORD", "it's secret"}});
  EXPECT_EQ(quoted.hide(R"(+ login 'it'\''s secret')"), "+ login '[WORD]'");
}

TEST(HiddenSecrets, ShownWithoutControlCharacters_IsHidden) {
  const HiddenSecrets with_tab(ByVariable{{"WORD", "one\ttwo\tthree"}});
  EXPECT_EQ(with_tab.hide(R"(bad one\x09two\x09three)"), "bad [WORD]");
}

TEST(HiddenSecrets, JsonText_ItsStringsAreHidden) {
  const std::string json =
      R"({"type": "service", "private_key": "-----BEGIN KEY-----\nMIIEvQIBADAN\n", "more": [{"id": "0123456789"}], "n": 12345678})";
  const HiddenSecrets account(ByVariable{{"ACCOUNT", json}});
  EXPECT_EQ(account.hide("bad " + json), "bad [ACCOUNT]");
  EXPECT_EQ(account.hide("bad MIIEvQIBADAN"), "bad [ACCOUNT]");
  EXPECT_EQ(account.hide(R"({'id': '0123456789', 'key': '-----BEGIN KEY-----\nMIIEvQIBADAN\n'})"),
            "{'id': '[ACCOUNT]', 'key': '[ACCOUNT]'}");
  EXPECT_EQ(account.hide("no private_key of a service"), "no private_key of a service");
}

TEST(HiddenSecrets, TextIsCutInsideAValue_ItsBeginningIsHidden) {
  const HiddenSecrets token(ByVariable{{"TOKEN", "hf_0123456789abcdef"}});
  EXPECT_EQ(token.hide("bad hf_0123456… at train.py:1"), "bad [TOKEN]… at train.py:1");
  EXPECT_EQ(token.hide("bad hf_0123456"), "bad [TOKEN]");
  EXPECT_EQ(token.hide("bad hf_01"), "bad hf_01");
  EXPECT_EQ(token.hide("hf_0123456 is the name of a file"), "hf_0123456 is the name of a file");
}

TEST(HiddenSecrets, OfTheCommandLineOfALeftover) {
  Report report;
  report.trouble = "rank 0 left `upload --key s3cret` running";
  report.service_failure = "the server exited with code 1: s3cret is refused";
  EXPECT_EQ(secrets.hide(report).trouble, "rank 0 left `upload --key [KEY]` running");
  EXPECT_EQ(secrets.hide(report).service_failure, "the server exited with code 1: [KEY] is refused");
}

TEST(HiddenSecrets, OfARanksFailureMessage) {
  Report report;
  report.ranks.resize(1);
  report.ranks[0].exit.detail = "RuntimeError: bad s3cret";
  report.ranks[0].exit.trace = "raise RuntimeError('s3cret')";
  report.ranks[0].standing = RankLocation{.exception = "ValueError: s3cret"};
  const Report told = secrets.hide(report);
  EXPECT_EQ(told.ranks[0].exit.detail, "RuntimeError: bad [KEY]");
  EXPECT_EQ(told.ranks[0].exit.trace, "raise RuntimeError('[KEY]')");
  EXPECT_EQ(told.ranks[0].standing->exception, "ValueError: [KEY]");
  EXPECT_EQ(HiddenSecrets(ByVariable{}).hide(report), report);
}

TEST(HiddenSecrets, OfTheFailureOfASetup) {
  Report report;
  report.setup.failure = "`pip install` failed: no access with s3cret";
  EXPECT_EQ(secrets.hide(report).setup.failure, "`pip install` failed: no access with [KEY]");
}

}  // namespace
}  // namespace muster
