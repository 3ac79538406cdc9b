// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/batch/batch_reader.h"
#include "client/batch/request_maker.h"
#include "client/batch/row_choice.h"

namespace filecall::client {

/// The text of one request of a batch, as it stood in the input or as it was made of a row.
struct RawRequest {
  std::string_view text;            ///< Valid until the next call.
  std::string_view name;            ///< Its derived id begins with it; empty: with the command.
  std::optional<std::string> stem;  ///< The file's, in a folder.
  std::size_t source = 0;
  std::int64_t line = 0;
  bool is_row_name = false;  ///< `name` was stated by the row, whose first request this is.
  const MadeOfRow* of_row = nullptr;  ///< Of rows of variables; valid as `text` is.
  std::string problem;                ///< Why there is no text; empty: there is.
};

/// Goes through all requests of a batch in order. Not thread-safe.
class RequestReader {
 public:
  /// All arguments must outlive the reader. One reader at a time uses a choice.
  RequestReader(const std::vector<BatchSource>& sources, const RequestMaker& maker,
                RowChoice& choice)
      : rows_(sources), maker_(maker), choice_(choice) {
    choice_.rewind();
  }

  /// nullopt: no more. Failure: a source cannot be opened or read.
  Result<std::optional<RawRequest>> next();

 private:
  BatchReader rows_;
  const RequestMaker& maker_;
  RowChoice& choice_;
  RawItem row_;
  MadeRequests made_;
  std::size_t given_ = 0;  ///< Requests of `made_` that were given out.
};

}  // namespace filecall::client
