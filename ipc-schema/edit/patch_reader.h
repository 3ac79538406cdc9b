// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/patch.h"

namespace filecall::edit {

/// Bounds of a patch's text; what is beyond them is refused with resource_exhausted.
struct PatchLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t files = 10'000;
  std::size_t hunks = 100'000;
};

/// A unified diff or a `*** Begin Patch` patch, whichever the text begins as. A mistake is
/// invalid_argument and names the patch's line and the rule that it breaks. Pure; any thread.
Result<std::vector<FilePatch>> read_patch(std::string_view text, const PatchLimits& limits = {});

/// The text of a patch as lines, with where reading has come to. For the readers of this room.
class PatchCursor {
 public:
  static Result<PatchCursor> of(std::string_view text, const PatchLimits& limits);

  bool is_done() const { return at_ >= stop_; }
  std::size_t at() const { return at_; }
  std::size_t stop() const { return stop_; }
  void move_to(std::size_t line) { at_ = line; }
  void next() { ++at_; }
  /// Leaves out lines at both ends.
  void narrow(std::size_t begin, std::size_t stop) { at_ = begin, stop_ = stop; }

  const TextLines& lines() const { return lines_; }
  std::string_view text() const { return lines_.text(at_); }
  std::string_view text(std::size_t line) const {
    return line < stop_ ? lines_.text(line) : std::string_view();
  }
  bool begins(std::string_view with) const { return !is_done() && text().starts_with(with); }
  std::int64_t number() const { return static_cast<std::int64_t>(at_) + 1; }
  /// The line as one of a hunk; an empty one is context. The patch's last line needs no end.
  PatchLine hunk_line() const;
  /// "patch line N: RULE".
  Unexpected<Error> refuse(std::string_view rule) const { return refuse(at_, rule); }
  Unexpected<Error> refuse(std::size_t line, std::string_view rule) const;

 private:
  explicit PatchCursor(TextLines lines) : lines_(std::move(lines)), stop_(lines_.size()) {}

  TextLines lines_;
  std::size_t at_ = 0;
  std::size_t stop_;
};

/// At most 80 bytes of a line between quotation marks, for a message.
std::string shown(std::string_view line);
/// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace filecall::edit
