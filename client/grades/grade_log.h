// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "client/eval/evaluation.h"
#include "client/grades/line_file.h"
#include "os/unique_fd.h"
#include "spool/layout.h"

namespace filecall::client {

/// Where a line of a grade log stands; without its newline.
struct GradeLine {
  std::int64_t offset = 0;
  std::size_t bytes = 0;
};

/// The text of a record.
struct GradeText {
  std::string text;
  bool is_line = false;  ///< Else it is a file of the older form.
};

/// Reads `eval/grades.jsonl`: each line is the evaluation record of one answer and evaluation; of
/// several lines of one request, evaluation and metadata (labels) the last one counts, so that runs
/// that share an answer and differ in a label each have their grade. Files `eval/{id}.json` (the
/// older form, and what others write) are read where no line tells. Some 60 bytes a line in memory.
/// A last line without a newline is being written, or its writer was killed: it is left alone here.
/// Not thread-safe.
class GradeLog {
 public:
  /// A log that is not there is an empty one. Failure: the file's.
  static Result<GradeLog> open(const spool::Layout& layout);

  /// Reads what was appended since; all of it when the file was replaced.
  Result<void> refresh();
  /// The text of the record that has that evaluation (and perhaps others); nullopt: there is none.
  /// The text of a file may be broken. Failure: the file's.
  /// `metadata_digest`: as Evaluation has it. Where no line is of these metadata: the last line
  /// that does not note its metadata, else the last one; who asks looks whose it is.
  Result<std::optional<GradeText>> find_text(std::string_view id, std::string_view name,
                                             std::string_view metadata_digest = {}) const;
  /// The same, read; nullopt also when it is broken.
  Result<std::optional<Evaluation>> find(std::string_view id, std::string_view name,
                                         std::string_view metadata_digest = {}) const;
  /// Whether there are lines by several metadata, so that `metadata_digest` decides.
  bool has_several(std::string_view id, std::string_view name) const;
  /// Whether that line is the one that counts for any evaluation in it.
  bool counts(const EvaluationRecord& record, const GradeLine& line) const;
  /// Of all lines, and of some files.
  std::set<std::string> names() const;
  /// Of all lines.
  const std::set<std::string, std::less<>>& names_of_lines() const { return names_; }
  /// For people; empty: every line can be read.
  std::string damage() const;

  /// Whether bytes without a newline follow the last line.
  bool is_torn() const;

  /// Notes an appended line, for its writer; `end` is the file's size after it.
  void note(std::string_view id, std::string_view name, std::string_view metadata_digest,
            const GradeLine& line, std::int64_t end);

 private:
  explicit GradeLog(spool::Layout layout) : layout_(std::move(layout)) {}
  Result<void> reopen();
  Result<void> read_lines();
  void take_line(std::string_view text, std::int64_t offset);
  /// By which labels a line graded, and where it stands.
  struct Place {
    std::uint64_t labels = 0;  ///< Hash of the metadata's digest.
    GradeLine line;
  };
  void put(std::string_view id, std::string_view name, const Place& place);
  /// nullptr: there is no line.
  const GradeLine* line_of(std::string_view id, std::string_view name,
                           std::string_view metadata_digest) const;
  Result<std::string> read_file(std::string_view id) const;

  spool::Layout layout_;
  UniqueFd fd_;  ///< Absent: there is no file.
  ino_t inode_ = 0;
  bool has_files_ = false;
  std::int64_t end_ = 0;  ///< What was read.
  std::int64_t damaged_ = 0;
  std::int64_t first_damaged_at_ = 0;
  /// By the hash of request and evaluation; a line is checked when it is read.
  std::unordered_map<std::uint64_t, Place> lines_;
  /// Lines that count beside the last one, since they are of other metadata; by the same hash.
  std::unordered_map<std::uint64_t, std::vector<Place>> others_;
  std::set<std::string, std::less<>> names_;
};

/// All evaluations of one request, as the text of a record; nullopt: there are none. Looks at the
/// whole log, and keeps nothing of it.
Result<std::optional<std::string>> evaluations_of(const spool::Layout& layout, std::string_view id);

}  // namespace filecall::client
