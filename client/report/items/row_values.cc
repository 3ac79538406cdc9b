// SPDX-License-Identifier: MIT
#include "client/report/items/row_values.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "base/count_text.h"
#include "base/hash.h"
#include "client/report/text_layout.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

std::uint32_t short_digest(std::string_view text) {
  return static_cast<std::uint32_t>(hash64(text));
}

}  // namespace

void RowValues::add(std::uint64_t item, const Json& vars) {
  if (!vars.is_object() || !items_.insert(item).second) return;
  for (const auto& [name, value] : vars.items()) {
    const std::uint32_t column = short_digest(name);
    names_.try_emplace(column, name);
    const bool is_text = value.is_string();
    cells_.push_back(
        {item, column,
         short_digest(is_text ? value.get_ref<const std::string&>() : dump_json(value))});
  }
}

std::vector<RowValues::Cell> RowValues::sorted_cells() const {
  std::vector<Cell> cells = cells_;
  std::sort(cells.begin(), cells.end());
  return cells;
}

RowValues::Differences RowValues::between(const RowValues& a, const RowValues& b,
                                          std::size_t named_max) {
  const std::vector<Cell> of_a = a.sorted_cells();
  const std::vector<Cell> of_b = b.sorted_cells();
  Differences found;
  std::uint64_t last = 0;
  auto other = of_b.begin();
  for (const Cell& cell : of_a) {
    const auto place = std::tie(cell.item, cell.column);
    while (other != of_b.end() && std::tie(other->item, other->column) < place) ++other;
    if (other == of_b.end()) break;
    if (std::tie(other->item, other->column) != place || other->value == cell.value) continue;
    if (found.count == 0 || last != cell.item) {
      ++found.count;
      if (found.first.size() < named_max) found.first.push_back({cell.item, {}});
    }
    last = cell.item;
    const bool is_named = !found.first.empty() && found.first.back().item == cell.item;
    if (is_named) found.first.back().columns.push_back(a.names_.at(cell.column));
  }
  for (Difference& one : found.first) std::sort(one.columns.begin(), one.columns.end());
  return found;
}

std::string row_differences_text(const RowValues::Differences& differences,
                                 const std::map<std::uint64_t, std::string>& item_names) {
  if (differences.count == 0) return {};
  std::vector<std::string> items;
  for (const RowValues::Difference& one : differences.first) {
    std::vector<std::string> columns;
    for (const std::string& name : one.columns) columns.push_back(one_line(name, 40));
    const auto name = item_names.find(one.item);
    items.push_back(fmt::format("{} ({})",
                                name == item_names.end() ? "?" : one_line(name->second, 60),
                                fmt::join(columns, ", ")));
  }
  const std::size_t more = differences.count - items.size();
  if (more > 0) items.push_back(fmt::format("and {} more", more));
  const auto count = static_cast<std::int64_t>(differences.count);
  return fmt::format(
      "{} other values in the rows of A than in those of B: {}. There a difference may be the "
      "rows' doing, e.g. a corrected label's, and not the model's. Run A's prompts with B's rows, "
      "and compare with that run: what a model sees unchanged is not asked again.",
      counted_noun(count, "item has", "items have"), fmt::join(items, ", "));
}

}  // namespace filecall::client
