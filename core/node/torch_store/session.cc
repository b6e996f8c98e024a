// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/session.h"

namespace muster::tcpstore {

bool Session::feed(std::string_view bytes) {
  size_t used = 0;
  if (in_.empty()) {
    const bool good = consume(bytes, used);
    if (good && used < bytes.size()) in_.assign(bytes.substr(used));
    return good;
  }
  in_ += bytes;
  const bool good = consume(in_, used);
  in_.erase(0, used);
  // The buffer of a long request is not kept for the short ones after it.
  if (in_.empty() && in_.capacity() > 4096) in_.shrink_to_fit();
  return good;
}

bool Session::consume(std::string_view bytes, size_t& used) {
  if (dialect_ == Dialect::unknown) {
    dialect_ = dialect_of(bytes, used);
    if (dialect_ == Dialect::unknown) return true;
    if (dialect_ == Dialect::carrier)
      return refuse(cut_off(Rule::protocol, "a store proxy connected through another store proxy"));
  }
  for (stalled_ = false; out.size() <= state_.limits.pause;) {
    const auto found = reader_.read(bytes.substr(used), dialect_, state_.request);
    if (found == RequestReader::Found::part) return true;
    if (found == RequestReader::Found::bad) return refuse(reader_.refusal(bytes.substr(used)));
    if (!state_.store.take(*this, state_.request)) return refuse(state_.store.refusal());
    used += reader_.size();
  }
  stalled_ = true;
  return true;
}

bool Session::refuse(const Refusal& why) const {
  state_.refused(why);
  return false;
}

void deliver(KeyStore& store) {
  // Every client of this store is a Session.
  store.tell([](StoreClient& client) { static_cast<Session&>(client).deliver(); });
}

}  // namespace muster::tcpstore
