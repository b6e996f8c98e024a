// SPDX-License-Identifier: Apache-2.0
#include "core/system/tls/token_identity.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <functional>
#include <memory>

namespace muster {
namespace {

constexpr int kRounds = 50'000;  // of PBKDF2
// Keys exist only as long as their process. The long validity avoids refusing hosts with a wrong clock.
constexpr const char* kFrom = "20200101000000Z";
constexpr const char* kUntil = "20991231235959Z";

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

Key authority_key(const std::string& token, const std::string& purpose) {
  std::array<unsigned char, 32> seed{};
  PKCS5_PBKDF2_HMAC(token.data(), static_cast<int>(token.size()),
                    reinterpret_cast<const unsigned char*>(purpose.data()), static_cast<int>(purpose.size()), kRounds,
                    EVP_sha256(), static_cast<int>(seed.size()), seed.data());
  return Key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size()));
}

void name(X509_NAME* subject, const char* text) {
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(text), -1, -1, 0);
}

void extend(X509& certificate, X509& issuer, int what, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, what, value));
  X509_add_ext(&certificate, extension.get(), -1);
}

Certificate blank(EVP_PKEY& key, const char* subject, const char* issuer, int serial) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  ASN1_TIME_set_string(X509_getm_notBefore(certificate.get()), kFrom);
  ASN1_TIME_set_string(X509_getm_notAfter(certificate.get()), kUntil);
  name(X509_get_subject_name(certificate.get()), subject);
  name(X509_get_issuer_name(certificate.get()), issuer);
  X509_set_pubkey(certificate.get(), &key);
  return certificate;
}

constexpr const char* kAuthority = "muster authority";

Certificate authority_of(EVP_PKEY& key) {
  Certificate certificate = blank(key, kAuthority, kAuthority, 1);
  extend(*certificate, *certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(*certificate, *certificate, NID_key_usage, "critical,keyCertSign");
  X509_sign(certificate.get(), &key, nullptr);
  return certificate;
}

Certificate leaf_of(EVP_PKEY& key, X509& authority, EVP_PKEY& authority_key) {
  Certificate certificate = blank(key, kTlsName, kAuthority, 2);
  extend(*certificate, authority, NID_basic_constraints, "critical,CA:FALSE");
  extend(*certificate, authority, NID_key_usage, "critical,digitalSignature");
  extend(*certificate, authority, NID_ext_key_usage, "serverAuth,clientAuth");
  extend(*certificate, authority, NID_subject_alt_name, ("DNS:" + std::string(kTlsName)).c_str());
  X509_sign(certificate.get(), &authority_key, nullptr);
  return certificate;
}

std::string text_of(const std::function<void(BIO*)>& write) {
  const Memory memory(BIO_new(BIO_s_mem()));
  write(memory.get());
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return std::string(bytes, static_cast<size_t>(size));
}

std::string pem(X509& certificate) {
  return text_of([&](BIO* memory) { PEM_write_bio_X509(memory, &certificate); });
}

std::string pem(EVP_PKEY& key) {
  return text_of([&](BIO* memory) { PEM_write_bio_PrivateKey(memory, &key, nullptr, nullptr, 0, nullptr, nullptr); });
}

}  // namespace

Result<TlsIdentity> identity_from_token(const std::string& token, const std::string& purpose) {
  if (token.size() < kShortestToken) {
    return Status(Code::invalid_argument, "a token must have at least " + std::to_string(kShortestToken) +
                                              " characters; to create one: openssl rand -hex 16");
  }
  const Key root = authority_key(token, purpose);
  const Key own(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  if (!root || !own) {
    return Status(Code::internal, std::string("cannot create TLS keys: ") + ERR_reason_error_string(ERR_get_error()));
  }
  const Certificate authority = authority_of(*root);
  const Certificate leaf = leaf_of(*own, *authority, *root);
  return TlsIdentity{pem(*authority), pem(*leaf), pem(*own)};
}

}  // namespace muster
