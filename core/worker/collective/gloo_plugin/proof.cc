// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/gloo_plugin/proof.h"

#include <sys/random.h>

#include <bit>
#include <stdexcept>

namespace muster::worker {
namespace {

struct Sip {
  uint64_t a, b, c, d;
  void turn(int times) {
    for (; times > 0; --times) {
      a += b, b = std::rotl(b, 13) ^ a, a = std::rotl(a, 32);
      c += d, d = std::rotl(d, 16) ^ c;
      a += d, d = std::rotl(d, 21) ^ a;
      c += b, b = std::rotl(b, 17) ^ c, c = std::rotl(c, 32);
    }
  }
  void take(uint64_t word) {
    d ^= word;
    turn(2);
    a ^= word;
  }
};

// The hash of a message of two words.
uint64_t siphash(const Secret& key, uint64_t one, uint64_t two) {
  Sip state{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
            key[1] ^ 0x7465646279746573};
  state.take(one);
  state.take(two);
  state.take(uint64_t{16} << 56);  // the last block contains the length
  state.c ^= 0xff;
  state.turn(4);
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace

Secret random_secret() {
  Secret secret;
  if (::getrandom(secret.data(), sizeof secret, 0) != sizeof secret)
    throw std::runtime_error("cannot get random bytes from the kernel");
  return secret;
}

Proof proof(const Secret& secret, uint32_t from, uint32_t to) {
  const uint64_t pair = uint64_t{from} << 32 | to;
  return {siphash(secret, pair, 0), siphash(secret, pair, 1)};
}

}  // namespace muster::worker
