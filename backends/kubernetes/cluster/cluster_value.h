// SPDX-License-Identifier: Apache-2.0
// ClusterValue: a value in kubectl's JSON output. Accepts any text: a value that is missing or of another type is empty. Pure. Copies share
// the document.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

class ClusterValue {
 public:
  ClusterValue() = default;
  // Empty if `json` is not JSON.
  static ClusterValue of(std::string_view json);
  // Concatenated objects, as kubectl prints them; stops at the first that is not JSON.
  static std::vector<ClusterValue> all_of(const std::string& json);

  using Path = std::initializer_list<const char*>;
  ClusterValue at(Path path) const;
  bool is_there() const { return node_ != nullptr; }

  // A string, or a number or boolean as text; empty for other types.
  std::string text(Path path = {}) const;
  bool is_true(Path path) const { return text(path) == "true"; }
  double number(Path path) const;
  // The items of a list.
  std::vector<ClusterValue> items(Path path) const;
  // The members of an object, by name.
  std::map<std::string, ClusterValue> fields(Path path) const;
  std::map<std::string, std::string> texts(Path path) const;

 private:
  ClusterValue(std::shared_ptr<const void> root, const void* node) : root_(std::move(root)), node_(node) {}

  std::shared_ptr<const void> root_;
  const void* node_ = nullptr;
};

}  // namespace muster
