// A value in what kubectl printed. Any text is taken: what is not there, or of another kind, is an empty value. Pure; copies share.
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
  // Empty: it is no JSON.
  static ClusterValue of(std::string_view json);
  // Of objects one behind the other, as kubectl prints several; up to the first that is none.
  static std::vector<ClusterValue> all_of(const std::string& json);

  using Path = std::initializer_list<const char*>;
  ClusterValue at(Path path) const;
  bool is_there() const { return node_ != nullptr; }

  // A number or a truth as it is written; empty: it is none of these.
  std::string text(Path path = {}) const;
  bool is_true(Path path) const { return text(path) == "true"; }
  double number(Path path) const;
  // Of a list.
  std::vector<ClusterValue> items(Path path) const;
  // Of a map, with their names.
  std::map<std::string, ClusterValue> fields(Path path) const;
  std::map<std::string, std::string> texts(Path path) const;

 private:
  ClusterValue(std::shared_ptr<const void> root, const void* node) : root_(std::move(root)), node_(node) {}

  std::shared_ptr<const void> root_;
  const void* node_ = nullptr;
};

// "4", "500m", "16Gi" → a number; below 0: that is no quantity.
double quantity_of(std::string_view text);

}  // namespace muster
