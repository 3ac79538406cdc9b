// SPDX-License-Identifier: MIT
#include "client/batch/request_reader.h"

#include <utility>

#include "base/result.h"

namespace filecall::client {

Result<std::optional<RawRequest>> RequestReader::next() {
  while (given_ == made_.texts.size()) {
    if (choice_.is_over()) return std::optional<RawRequest>();
    TRY_ASSIGN(std::optional<RawItem> row, rows_.next());
    if (!row) return std::optional<RawRequest>();
    if (row->problem.empty() && !choice_.takes(row->text)) continue;
    row_ = std::move(*row);
    made_ = {};
    given_ = 0;
    RawRequest request{row_.text, {},    row_.stem, row_.source,
                       row_.line, false, nullptr,   row_.problem};
    if (!request.problem.empty() || maker_.leaves_as_it_is(row_.text)) {
      return std::optional(std::move(request));
    }
    auto made = maker_.make(row_.text, row_.stem);
    if (!made) {
      request.problem = std::move(made).error();
      return std::optional(std::move(request));
    }
    made_ = *std::move(made);
  }
  const bool is_row_name = given_ == 0 && made_.is_named;
  const MadeOfRow* of_row = made_.of_row.empty() ? nullptr : &made_.of_row[given_];
  const std::string& text = made_.texts[given_++];
  // A request that was made has a derived id, also when its row was a file.
  const auto stem = made_.item.empty() ? row_.stem : std::nullopt;
  return std::optional(
      RawRequest{text, made_.item, stem, row_.source, row_.line, is_row_name, of_row, {}});
}

}  // namespace filecall::client
