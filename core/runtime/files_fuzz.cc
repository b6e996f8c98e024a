// What the runtime reads back from files that others may have damaged or written: the secrets of a run, and what a
// program said last.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/runtime/last_words.h"
#include "core/runtime/secrets_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  MUSTER_CHECK(muster::last_words_of(bytes).said.size() <= 300);
  const auto secrets = muster::decode_secrets(bytes);
  if (secrets.ok()) MUSTER_CHECK(muster::decode_secrets(muster::encode_secrets(*secrets)).ok());
  return 0;
}
