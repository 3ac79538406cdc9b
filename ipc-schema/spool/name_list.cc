// SPDX-License-Identifier: MIT
#include "spool/name_list.h"

#include <algorithm>
#include <bit>

namespace filecall::spool {

void NameList::add(std::string_view name) {
  entries_.push_back({bytes_.size(), static_cast<std::uint32_t>(name.size())});
  bytes_.append(name);
}

void NameList::sort() { sort_some(0, size()); }

void NameList::sort_some(std::size_t from, std::size_t count) {
  const char* bytes = bytes_.data();
  const auto is_less = [bytes](const Entry& a, const Entry& b) {
    return std::string_view(bytes + a.offset, a.size) < std::string_view(bytes + b.offset, b.size);
  };
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(from);
  if (count >= size() - from) return std::sort(begin, entries_.end(), is_less);
  std::partial_sort(begin, begin + static_cast<std::ptrdiff_t>(count), entries_.end(), is_less);
}

bool NameList::contains_sorted(std::string_view name, std::size_t from) const {
  std::size_t low = from;
  std::size_t high = size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if ((*this)[middle] < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < size() && (*this)[low] == name;
}

Hash128 NameHashSet::hash(std::string_view name) {
  Hash128 out = hash128(name);
  if (out == Hash128{}) out.low = 1;  // {0, 0} marks a free slot.
  return out;
}

void NameHashSet::reserve(std::size_t names) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(16, names * 2));
  if (slots > slots_.size()) grow(slots);
}

bool NameHashSet::insert(std::string_view name) {
  if ((size_ + 1) * 4 > slots_.size() * 3) grow(std::max<std::size_t>(16, slots_.size() * 2));
  if (!place(hash(name))) return false;
  ++size_;
  return true;
}

bool NameHashSet::contains(std::string_view name) const {
  if (slots_.empty()) return false;
  const Hash128 wanted = hash(name);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = wanted.low & mask;; at = (at + 1) & mask) {
    if (slots_[at] == wanted) return true;
    if (slots_[at] == Hash128{}) return false;
  }
}

bool NameHashSet::place(const Hash128& hash) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash.low & mask;; at = (at + 1) & mask) {
    if (slots_[at] == hash) return false;
    if (slots_[at] == Hash128{}) {
      slots_[at] = hash;
      return true;
    }
  }
}

void NameHashSet::grow(std::size_t slots) {
  std::vector<Hash128> old(slots);
  old.swap(slots_);
  for (const Hash128& hash : old) {
    if (hash != Hash128{}) place(hash);
  }
}

}  // namespace filecall::spool
