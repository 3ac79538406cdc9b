// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/batch/batch_source.h"

struct __dirstream;

namespace filecall {
class LineReader;
}

namespace filecall::client {

class TableReader;

/// The text of one request of a batch, not looked at yet.
struct RawItem {
  std::string_view text;            ///< Valid until the next call.
  std::optional<std::string> stem;  ///< The file's, in a folder.
  std::size_t source = 0;           ///< Index of the source.
  std::int64_t line = 0;            ///< In a file of lines; 0 in a folder.
  std::string problem;              ///< Why there is no text; empty: there is.
};

/// Goes through all sources of a batch in order, one item at a time. Empty lines are passed over;
/// in a folder, files whose names are no request's are. Not thread-safe.
class BatchReader {
 public:
  /// `sources` must outlive the reader.
  explicit BatchReader(const std::vector<BatchSource>& sources);
  ~BatchReader();

  /// nullopt: no more. Failure: a source cannot be opened or read.
  Result<std::optional<RawItem>> next();

 private:
  struct CloseDirectory {
    void operator()(__dirstream* directory) const;
  };
  Result<bool> open_source();
  Result<std::optional<RawItem>> next_line();
  Result<std::optional<RawItem>> next_file();
  Result<std::optional<RawItem>> next_table_row();

  const std::vector<BatchSource>& sources_;
  std::size_t opened_ = 0;  ///< Sources that were opened, the current one included.
  std::unique_ptr<LineReader> lines_;
  std::unique_ptr<TableReader> table_;
  std::unique_ptr<__dirstream, CloseDirectory> folder_;
  std::string text_;
};

/// "batch.jsonl:17", or the file's path in a folder.
std::string item_location(const BatchSource& source, const std::optional<std::string>& stem,
                          std::int64_t line);

}  // namespace filecall::client
