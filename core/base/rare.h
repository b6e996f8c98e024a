// SPDX-License-Identifier: Apache-2.0
// Rare: an optional value for members that most objects never set. It has the size of a pointer; the value is on the
// heap. Otherwise it is like std::optional: copying copies the value, and comparison compares the values.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace muster {

template <typename T>
class Rare {
 public:
  Rare() = default;
  Rare(std::nullopt_t) {}
  Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Rare(std::optional<T> value) : value_(value ? std::make_unique<T>(std::move(*value)) : nullptr) {}
  Rare(const Rare& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) { return *this = Rare(other); }
  Rare& operator=(Rare&&) noexcept = default;
  ~Rare() = default;

  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  void reset() { value_.reset(); }

  // Undefined if empty, as with std::optional.
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  bool operator==(const Rare& other) const {
    return has_value() == other.has_value() && (!has_value() || **this == *other);
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace muster
