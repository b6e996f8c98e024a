// SPDX-License-Identifier: Apache-2.0
// PmiStore: the key-value space of a job on one node. Values that ranks put are passed on to the other nodes at the next barrier. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

class PmiStore {
 public:
  // A value that every node knows by itself, such as the process mapping.
  void preset(const std::string& key, const std::string& value);

  // invalid_argument: the key or value is too long, or empty; resource_exhausted: the store is full. A later value replaces an earlier one.
  Status put(const std::string& key, const std::string& value);

  // nullopt: there is no such key, or another node has not passed it on yet.
  std::optional<std::string> get(const std::string& key) const;

  // The values put since the last call, for merge() on the other nodes. Bytes.
  std::string take_new();

  // Adds the values of another node. invalid_argument: take_new() did not make the bytes; resource_exhausted: the store is full. After an
  // error some of the values may have been added.
  Status merge(std::string_view bytes);

 private:
  std::map<std::string, std::string> values_;
  std::map<std::string, std::string> fresh_;
  size_t bytes_ = 0;
};

}  // namespace muster
