// SPDX-License-Identifier: Apache-2.0
// SharedVector: a vector whose copies share unchanged elements (copy on write). Copying and comparing states of ten
// thousand nodes costs only as much as their differences. It is read like a vector; changes go through edit(), set()
// and the like.
//
// Elements are stored in blocks. The `Counts` of each block, and their total, are cached until an element is edited.
// Then only the counts of the edited block are computed again. A Counts type has add(const T&) and add(const Counts&).
//
// A value. All copies must stay on one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace muster {

struct NoCounts {
  template <typename T>
  void add(const T&) {}
};

template <typename T, typename Counts = NoCounts>
class SharedVector {
 public:
  static constexpr size_t kBlock = 64;

  class Block {
   public:
    const std::vector<T>& items() const { return items_; }
    const Counts& counts() const {
      if (!counts_) counts_ = counted();
      return *counts_;
    }
    std::vector<T>& edit() {
      counts_.reset();
      return items_;
    }

   private:
    Counts counted() const {
      Counts counts;
      for (const T& item : items_) counts.add(item);
      return counts;
    }
    std::vector<T> items_;
    mutable std::optional<Counts> counts_;
  };

  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;
    const_iterator() = default;
    const_iterator(const SharedVector* of, size_t at) : of_(of), at_(at) {}
    reference operator*() const { return (*of_)[at_]; }
    pointer operator->() const { return &(*of_)[at_]; }
    const_iterator& operator++() { return ++at_, *this; }
    const_iterator operator++(int) { return {of_, at_++}; }
    bool operator==(const const_iterator& other) const { return at_ == other.at_; }

   private:
    const SharedVector* of_ = nullptr;
    size_t at_ = 0;
  };

  SharedVector() = default;
  SharedVector(const SharedVector&) = default;
  SharedVector& operator=(const SharedVector&) = default;
  SharedVector(SharedVector&& other) noexcept
      : blocks_(std::move(other.blocks_)),
        size_(std::exchange(other.size_, 0)) {}
  SharedVector& operator=(SharedVector&& other) noexcept {
    blocks_ = std::move(other.blocks_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  SharedVector(std::initializer_list<T> items) {
    for (const T& item : items) push_back(item);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t at) const { return block(at / kBlock)->items()[at % kBlock]; }
  // Throws std::out_of_range beyond the end.
  const T& at(size_t at) const { return at < size_ ? (*this)[at] : throw std::out_of_range("SharedVector"); }
  const T& front() const { return (*this)[0]; }
  const T& back() const { return (*this)[size_ - 1]; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size_}; }

  // The reference is valid until the next call on this vector or a copy.
  T& edit(size_t at) { return own(at / kBlock).edit()[at % kBlock]; }
  // Copies no block if the element already has this value.
  void set(size_t at, T item) {
    if (!((*this)[at] == item)) edit(at) = std::move(item);
  }
  void push_back(T item) {
    if (size_ % kBlock == 0) own_blocks().each.push_back(std::make_shared<Block>());
    own(size_ / kBlock).edit().push_back(std::move(item));
    ++size_;
  }
  void resize(size_t size) {
    while (size_ > size) pop_back();
    while (size_ < size) push_back(T());
  }
  void assign(size_t size, const T& item) {
    clear();
    while (size_ < size) push_back(item);
  }
  void clear() {
    blocks_.reset();
    size_ = 0;
  }

  Counts total() const {
    if (!blocks_) return Counts();
    if (!blocks_->total) blocks_->total = counted();
    return *blocks_->total;
  }
  // Calls visit(index of the block's first element, block) for each block.
  template <typename Visit>
  void for_each_block(const Visit& visit) const {
    for (size_t b = 0; b * kBlock < size_; ++b) visit(b * kBlock, *block(b));
  }
  // Calls visit(index) for each element whose block is not shared with `other`, so that it may differ.
  template <typename Visit>
  void for_each_unshared(const SharedVector& other, const Visit& visit) const {
    for (size_t b = 0; b * kBlock < size_; ++b) {
      if (shares(other, b)) continue;
      for (size_t at = b * kBlock; at < std::min((b + 1) * kBlock, size_); ++at) visit(at);
    }
  }

  bool operator==(const SharedVector& other) const {
    if (size_ != other.size_) return false;
    if (blocks_ == other.blocks_) return true;
    for (size_t b = 0; b * kBlock < size_; ++b) {
      if (!shares(other, b) && block(b)->items() != other.block(b)->items()) return false;
    }
    return true;
  }

 private:
  struct Blocks {
    std::vector<std::shared_ptr<Block>> each;
    std::optional<Counts> total;
  };

  const std::shared_ptr<Block>& block(size_t number) const { return blocks_->each[number]; }
  bool shares(const SharedVector& other, size_t number) const {
    return number * kBlock < other.size_ && block(number) == other.block(number);
  }
  Counts counted() const {
    Counts total;
    for_each_block([&](size_t, const Block& block) { total.add(block.counts()); });
    return total;
  }
  Blocks& own_blocks() {
    if (!blocks_) blocks_ = std::make_shared<Blocks>();
    if (blocks_.use_count() > 1) blocks_ = std::make_shared<Blocks>(*blocks_);
    blocks_->total.reset();
    return *blocks_;
  }
  Block& own(size_t number) {
    std::shared_ptr<Block>& block = own_blocks().each[number];
    if (block.use_count() > 1) block = std::make_shared<Block>(*block);
    return *block;
  }
  void pop_back() {
    --size_;
    own(size_ / kBlock).edit().pop_back();
    if (size_ % kBlock == 0) own_blocks().each.pop_back();
  }

  std::shared_ptr<Blocks> blocks_;
  size_t size_ = 0;
};

}  // namespace muster
