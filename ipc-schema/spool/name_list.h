// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace filecall::spool {

/// Many names in two allocations: some 45 bytes a name instead of the 100 of a set of strings.
class NameList {
 public:
  void add(std::string_view name);
  void sort();
  /// Puts the `count` smallest of the names from `from` on there, in order; `count` may be too
  /// many. A few of many cost little.
  void sort_some(std::size_t from, std::size_t count);
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  std::string_view operator[](std::size_t index) const {
    return {bytes_.data() + entries_[index].offset, entries_[index].size};
  }
  /// Whether a sorted list has the name at `from` or later.
  bool contains_sorted(std::string_view name, std::size_t from = 0) const;

 private:
  struct Entry {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
  };
  std::string bytes_;
  std::vector<Entry> entries_;
};

/// A set of names that remembers only their 128-bit hashes (two of a billion names are taken for
/// one with a chance of 10^-21): 16 to 32 bytes for each name, whatever its length.
class NameHashSet {
 public:
  void reserve(std::size_t names);
  /// False: it was there.
  bool insert(std::string_view name);
  bool contains(std::string_view name) const;
  std::size_t size() const { return size_; }

 private:
  static Hash128 hash(std::string_view name);
  bool place(const Hash128& hash);
  void grow(std::size_t slots);

  std::vector<Hash128> slots_;  // Open addressing; {0, 0} is free. A power of two.
  std::size_t size_ = 0;
};

}  // namespace filecall::spool
