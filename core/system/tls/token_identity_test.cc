// SPDX-License-Identifier: Apache-2.0
#include "core/system/tls/token_identity.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

namespace muster {
namespace {

constexpr const char* kToken = "0123456789abcdef";

std::shared_ptr<X509> certificate_of(const std::string& pem) {
  const std::shared_ptr<BIO> memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  return {PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr), X509_free};
}

// Whether `judge` accepts a peer with this certificate.
bool trusts(const TlsIdentity& judge, const std::string& certificate) {
  const std::shared_ptr<X509_STORE> roots(X509_STORE_new(), X509_STORE_free);
  X509_STORE_add_cert(roots.get(), certificate_of(judge.authority).get());
  const std::shared_ptr<X509> shown = certificate_of(certificate);
  const std::shared_ptr<X509_STORE_CTX> question(X509_STORE_CTX_new(), X509_STORE_CTX_free);
  X509_STORE_CTX_init(question.get(), roots.get(), shown.get(), nullptr);
  return X509_verify_cert(question.get()) == 1;
}

TlsIdentity identity(const std::string& token, const std::string& purpose = "test") {
  return *identity_from_token(token, purpose);
}

TEST(TokenIdentity, WhoKnowsTheTokenIsTrustedAndNobodyElse) {
  const TlsIdentity one = identity(kToken);
  const TlsIdentity other = identity(kToken);
  EXPECT_TRUE(trusts(one, other.certificate));
  EXPECT_NE(one.key, other.key) << "each process has its own key";
  EXPECT_FALSE(trusts(one, identity("0123456789abcdeF").certificate));
  EXPECT_FALSE(trusts(one, identity(kToken, "another use").certificate));
}

TEST(TokenIdentity, NothingThatIsShownHoldsTheToken) {
  const TlsIdentity one = identity(kToken);
  EXPECT_EQ((one.authority + one.certificate + one.key).find(kToken), std::string::npos);
}

TEST(TokenIdentity, AShortTokenIsRefusedWithAWayToMakeOne) {
  const auto refused = identity_from_token("secret", "test");
  EXPECT_EQ(refused.status().code(), Code::invalid_argument);
  EXPECT_EQ(refused.status().message(),
            "a token must have at least 16 characters; to create one: openssl rand -hex 16");
}

}  // namespace
}  // namespace muster
