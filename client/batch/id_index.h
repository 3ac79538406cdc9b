// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace filecall::client {

/// All ids of a batch, on disk: finds duplicates among millions of ids and numbers the occurrences
/// of derived ones, in a few MiB of memory. The file is private, temporary and gone with the
/// object. Ids are kept as 128-bit hashes, inserted in sorted chunks so that the B-tree is not
/// walked at random; a batch of one chunk whose ids are distinct stays in memory. Not thread-safe.
class IdIndex {
 public:
  struct Entry {
    std::string id;
    std::uint64_t position = 0;  ///< Of the item, the caller's numbering; ascending.
    std::uint64_t content = 0;
    bool is_derived = false;
  };
  struct Duplicate {
    Entry later;
    std::uint64_t first_position = 0;
    bool is_same_content = false;
  };
  using OnDuplicate = std::function<void(const Duplicate&)>;

  /// Failure: the temporary file's (no space, no directory for it).
  static Result<std::unique_ptr<IdIndex>> create();
  ~IdIndex();
  IdIndex(const IdIndex&) = delete;
  IdIndex& operator=(const IdIndex&) = delete;

  /// First pass, in the input's order. Duplicates may be reported later than their add().
  Result<void> add(Entry entry, const OnDuplicate& on_duplicate);
  /// Ends the first pass.
  Result<void> finish(const OnDuplicate& on_duplicate);

  /// Second pass, in the same order: which occurrence of the derived id this is, from 1.
  Result<std::int64_t> next_occurrence(std::string_view derived_id);
  /// Starts the second pass (again).
  Result<void> rewind();
  /// Whether the first pass saw the id.
  Result<bool> contains(std::string_view id);

 private:
  class Table;
  explicit IdIndex(std::unique_ptr<Table> table);

  std::unique_ptr<Table> table_;
};

}  // namespace filecall::client
