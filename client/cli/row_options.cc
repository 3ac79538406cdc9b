// SPDX-License-Identifier: MIT
#include "client/cli/row_options.h"

#include <utility>

namespace filecall::client {

Result<RowSelection> row_selection(const Arguments& arguments) {
  constexpr std::int64_t kRowsMax = 1'000'000'000;
  RowSelection selection;
  for (const std::string& text : arguments.all("filter")) {
    TRY_ASSIGN(ColumnFilter filter, parse_column_filter(text));
    selection.filters.push_back(std::move(filter));
  }
  TRY_ASSIGN(selection.sample, arguments.integer("sample", 0, 1, kRowsMax));
  TRY_ASSIGN(selection.limit, arguments.integer("limit", 0, 1, kRowsMax));
  TRY_ASSIGN(const std::int64_t seed, arguments.integer("sample-seed", 0, 0, kRowsMax));
  if (arguments.has("sample-seed") && selection.sample == 0) {
    return fail(ErrorCode::kInvalidArgument, "--sample-seed: needs --sample N");
  }
  selection.sample_seed = static_cast<std::uint64_t>(seed);
  return selection;
}

}  // namespace filecall::client
