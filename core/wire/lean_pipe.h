// LeanPipe: a pair of BIOs as OpenSSL's BIO_new_bio_pair makes it, but for its memory: each way holds what was written and not read yet,
// and nothing else. OpenSSL's has room for all that may ever come, for as long as it lives. One thread at a time for both ends.
#pragma once

#include <openssl/bio.h>

#include <cstddef>

namespace muster {

// The most that one way takes before its reader has read: a whole record of TLS, and what sealing adds. As much as OpenSSL's own pair has.
constexpr size_t kLeanPipeBytes = 17 << 10;

// What is written to one is read from the other. Whoever finds nothing to read, or no room to write, gets -1 and BIO_should_retry; a write
// may be taken in part. At the end of what the other end wrote before it was freed: 0. False: no memory, and nothing was made.
bool new_lean_pipe(BIO** one, BIO** other);

}  // namespace muster
