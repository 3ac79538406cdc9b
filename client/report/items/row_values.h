// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ipc/json.h"

namespace filecall::client {

/// What the rows of a run's items say, as digests: whether two runs are about the same rows. Of an
/// item that has several requests the first row counts. 16 bytes a cell. Pure, not thread-safe.
class RowValues {
 public:
  /// `item`: as item_key() has it. `vars`: the row, an object; anything else has no columns.
  void add(std::uint64_t item, const Json& vars);

  struct Difference {
    std::uint64_t item = 0;
    std::vector<std::string> columns;  ///< In order; never empty.
  };
  struct Differences {
    std::size_t count = 0;          ///< Items.
    std::vector<Difference> first;  ///< At most as many as asked for.
  };
  /// Items that both have, with other values in a column that the rows of both have. A column that
  /// only one of them has is no difference; 3 and "3" are the same.
  static Differences between(const RowValues& a, const RowValues& b, std::size_t named_max);

 private:
  struct Cell {
    std::uint64_t item = 0;
    std::uint32_t column = 0;  ///< A digest of its name.
    std::uint32_t value = 0;   ///< The same of its value.
    auto operator<=>(const Cell&) const = default;
  };
  std::vector<Cell> sorted_cells() const;

  std::unordered_set<std::uint64_t> items_;
  std::vector<Cell> cells_;
  std::map<std::uint32_t, std::string> names_;  ///< Of columns.
};

/// One sentence for people; empty: nothing differs. `item_names`: of those that are named.
std::string row_differences_text(const RowValues::Differences& differences,
                                 const std::map<std::uint64_t, std::string>& item_names);

}  // namespace filecall::client
