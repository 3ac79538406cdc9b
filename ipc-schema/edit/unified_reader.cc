// SPDX-License-Identifier: MIT
#include "edit/unified_reader.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "base/utf8.h"
#include "edit/quoted_name.h"
#include "edit/unified_hunk.h"

namespace filecall::edit {
namespace {

constexpr std::string_view kNowhere = "/dev/null";

std::string_view without_return(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

class UnifiedReading {
 public:
  UnifiedReading(PatchCursor cursor, const PatchLimits& limits)
      : cursor_(std::move(cursor)), limits_(limits) {}

  Result<std::vector<FilePatch>> read() {
    while (!cursor_.is_done()) {
      if (cursor_.begins("diff --git ")) {
        TRY(git_header());
      } else if (begins_names(cursor_, cursor_.at())) {
        TRY(begin_file());
        TRY(names());
      } else if (cursor_.begins("@@")) {
        if (files_.empty()) TRY(begin_file());
        TRY(hunk());
      } else if (begins_signature(cursor_)) {
        break;
      } else if (is_left_out()) {
        cursor_.next();
      } else {
        return cursor_.refuse(
            fmt::format("after a hunk stands \"@@\", \"diff --git\", \"---\" or nothing, not {}",
                        shown(cursor_.text())));
      }
    }
    TRY(finish_file());
    if (files_.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "patch line 1: neither \"*** Begin Patch\" nor a line with \"---\" and one with "
                  "\"+++\", nor \"@@\": give a unified diff or a patch");
    }
    return std::move(files_);
  }

 private:
  bool is_left_out() const {
    return files_.empty() || trimmed(cursor_.text()).empty() || cursor_.begins("diff ") ||
           cursor_.begins("Index: ") || cursor_.begins("=====") || cursor_.begins("Only in ");
  }

  Result<void> begin_file() {
    TRY(finish_file());
    if (files_.size() >= limits_.files) {
      return fail(ErrorCode::kResourceExhausted,
                  fmt::format("the patch has more than {} files; divide it", limits_.files));
    }
    files_.emplace_back();
    files_.back().patch_line = cursor_.number();
    is_git_ = false;
    git_name_.clear();
    return {};
  }

  Result<void> finish_file() {
    if (files_.empty()) return {};
    FilePatch& file = files_.back();
    const auto refuse = [&](std::string_view rule) {
      return cursor_.refuse(static_cast<std::size_t>(file.patch_line - 1), rule);
    };
    if (file.path.empty()) file.path = git_name_;
    if (file.path.empty() && is_git_) return refuse("the file has no name that can be read");
    if (file.hunks.empty() && file.operation == Operation::kUpdate && file.new_path.empty() &&
        !file.mode) {
      return refuse("the file has no hunk: add one that begins with \"@@\"");
    }
    if (file.operation != Operation::kUpdate && file.hunks.size() > 1) {
      return refuse("a new or deleted file has one hunk at most");
    }
    const Sign wanted = file.operation == Operation::kCreate ? Sign::kAdded : Sign::kRemoved;
    if (file.operation == Operation::kUpdate || file.hunks.empty()) return {};
    for (const PatchLine& line : file.hunks[0].lines) {
      if (line.sign == wanted) continue;
      return refuse(file.operation == Operation::kCreate
                        ? "each line of a new file begins with \"+\""
                        : "each line of a deleted file begins with \"-\"");
    }
    return {};
  }

  /// `diff --git a/x b/x` and the lines below it, up to its first hunk.
  Result<void> git_header() {
    TRY(begin_file());
    is_git_ = true;
    TRY(git_names(without_return(cursor_.text().substr(11))));
    for (cursor_.next(); !cursor_.is_done(); cursor_.next()) {
      if (begins_names(cursor_, cursor_.at())) return names();
      if (cursor_.begins("@@") || cursor_.begins("diff ") || begins_signature(cursor_)) return {};
      if (trimmed(cursor_.text()).empty()) continue;
      TRY(git_word(without_return(cursor_.text())));
    }
    return {};
  }

  Result<void> git_names(std::string_view rest) {
    if (rest.starts_with('"')) {
      if (const auto name = read_quoted_name(rest); name && name->name.size() > 2) {
        git_name_ = name->name.substr(2);
      }
    } else if (rest.size() >= 7 && rest.size() % 2 == 1) {
      // Two equal names behind a/ and b/; others are named by lines of their own.
      const std::size_t half = rest.size() / 2;
      if (rest[half] == ' ' && rest.substr(2, half - 2) == rest.substr(half + 3)) {
        git_name_ = rest.substr(2, half - 2);
      }
    }
    return git_name_.empty() ? Result<void>() : check_name(git_name_);
  }

  Result<void> git_word(std::string_view line) {
    FilePatch& file = files_.back();
    const auto after = [&](std::string_view word) -> std::optional<std::string_view> {
      if (!line.starts_with(word)) return std::nullopt;
      return line.substr(word.size());
    };
    if (const auto new_mode = after("new file mode ")) {
      file.operation = Operation::kCreate;
      return mode(*new_mode);
    }
    if (const auto old_mode = after("deleted file mode ")) {
      file.operation = Operation::kDelete;
      return mode(*old_mode);
    }
    if (const auto new_mode = after("new mode ")) return mode(*new_mode);
    if (const auto old_mode = after("old mode ")) return check_mode(*old_mode);
    if (const auto from = after("rename from ")) {
      TRY_ASSIGN(file.path, whole_name(*from));
      return {};
    }
    if (const auto to = after("rename to ")) {
      TRY_ASSIGN(file.new_path, whole_name(*to));
      return {};
    }
    if (after("copy ")) return cursor_.refuse("a copy is not supported: create the file instead");
    if (after("GIT binary patch") || after("Binary files ")) {
      return cursor_.refuse("binary: only text can be patched");
    }
    if (const auto index = after("index ")) {  // `index 12ab..34cd 100644`; the mode may be absent.
      const std::size_t space = index->find(' ');
      return space == std::string_view::npos ? Result<void>()
                                             : check_mode(index->substr(space + 1));
    }
    if (after("similarity index ") || after("dissimilarity index ")) return {};
    return cursor_.refuse(fmt::format("git's header has no such line: {}", shown(line)));
  }

  Result<std::uint32_t> mode_of(std::string_view octal) const {
    std::uint32_t bits = 0;
    const auto [end, error] = std::from_chars(octal.data(), octal.data() + octal.size(), bits, 8);
    if (error != std::errc() || end != octal.data() + octal.size()) {
      return cursor_.refuse("a mode is octal, as 100644");
    }
    if ((bits & 0170000) != 0100000) {
      return cursor_.refuse("only regular files can be patched, no link and no submodule");
    }
    return bits & 07777;
  }
  Result<void> mode(std::string_view octal) {
    TRY_ASSIGN(files_.back().mode, mode_of(octal));
    return {};
  }
  Result<void> check_mode(std::string_view octal) const {
    TRY(mode_of(octal));
    return {};
  }

  Result<std::string> whole_name(std::string_view text) {
    std::string name(text);
    if (text.starts_with('"')) {
      auto quoted = read_quoted_name(text);
      if (!quoted) return cursor_.refuse("the quoted name does not end or has an unknown escape");
      name = std::move(quoted->name);
    }
    TRY(check_name(name));
    return name;
  }
  Result<void> check_name(std::string_view name) {
    if (name.empty()) return cursor_.refuse("the name of the file is empty");
    if (!is_valid_utf8(name)) return cursor_.refuse("the name of the file is not UTF-8");
    return {};
  }

  /// The two lines with `---` and `+++`.
  Result<void> names() {
    std::array<std::string, 2> found;
    for (std::string& name : found) {
      std::string_view text = without_return(cursor_.text().substr(4));
      if (!text.starts_with('"')) text = text.substr(0, text.find('\t'));
      TRY_ASSIGN(name, whole_name(text));
      cursor_.next();
    }
    FilePatch& file = files_.back();
    const auto drop = [&](std::string& name, std::string_view prefix, const std::string& other,
                          std::string_view other_prefix) {
      const bool both = other == kNowhere || other.starts_with(other_prefix);
      return name != kNowhere && both && name.starts_with(prefix) && name.size() > prefix.size();
    };
    const bool is_old = drop(found[0], "a/", found[1], "b/");
    const bool is_new = drop(found[1], "b/", found[0], "a/");
    if (is_old) found[0].erase(0, 2);
    if (is_new) found[1].erase(0, 2);
    const bool is_created = found[0] == kNowhere;
    const bool is_deleted = found[1] == kNowhere;
    if (is_created && is_deleted) return cursor_.refuse("both names are /dev/null");
    if (is_created) file.operation = Operation::kCreate;
    if (is_deleted) file.operation = Operation::kDelete;
    if (file.new_path.empty()) file.path = is_deleted ? found[0] : found[1];
    return {};
  }

  Result<void> hunk() {
    if (++hunks_ > limits_.hunks) {
      return fail(ErrorCode::kResourceExhausted,
                  fmt::format("the patch has more than {} hunks; divide it", limits_.hunks));
    }
    TRY_ASSIGN(PatchHunk found, read_unified_hunk(cursor_));
    files_.back().hunks.push_back(std::move(found));
    return {};
  }

  PatchCursor cursor_;
  const PatchLimits& limits_;
  std::vector<FilePatch> files_;
  std::size_t hunks_ = 0;
  bool is_git_ = false;
  std::string git_name_;  ///< Of the line `diff --git`; empty when it does not tell one.
};

}  // namespace

Result<std::vector<FilePatch>> read_unified_diff(std::string_view text, const PatchLimits& limits) {
  TRY_ASSIGN(PatchCursor cursor, PatchCursor::of(text, limits));
  return UnifiedReading(std::move(cursor), limits).read();
}

}  // namespace filecall::edit
