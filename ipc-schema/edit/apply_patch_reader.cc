// SPDX-License-Identifier: MIT
#include "edit/apply_patch_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edit/unified_hunk.h"

namespace filecall::edit {
namespace {

constexpr std::string_view kBegin = "*** Begin Patch";
constexpr std::string_view kEnd = "*** End Patch";
constexpr std::string_view kAdd = "*** Add File:";
constexpr std::string_view kDelete = "*** Delete File:";
constexpr std::string_view kUpdate = "*** Update File:";
constexpr std::string_view kMove = "*** Move to:";
constexpr std::string_view kEndOfFile = "*** End of File";

/// The word that ends a here-document which a line opens: `<<EOF`, `cat <<'EOF'`,
/// `apply_patch <<"PATCH"`. Empty: it opens none.
std::string_view end_of_here_document(std::string_view line) {
  for (const std::string_view program : {"cat ", "apply_patch ", "applypatch "}) {
    if (line.starts_with(program)) line = trimmed(line.substr(program.size()));
  }
  if (!line.starts_with("<<")) return {};
  line = trimmed(line.substr(2));
  if (line.size() > 2 && (line[0] == '\'' || line[0] == '"') && line.back() == line[0]) {
    line = line.substr(1, line.size() - 2);
  }
  const bool is_word = std::ranges::all_of(
      line, [](char c) { return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
  return is_word ? line : std::string_view();
}

/// `@@ LINE`, also as `@@ LINE @@`; `@@ ... @@` has none.
std::string_view anchor_of(std::string_view line) {
  constexpr std::string_view kClosing = " @@";
  line = trimmed(line.substr(2));
  if (line.ends_with(kClosing)) line = trimmed(line.substr(0, line.size() - kClosing.size()));
  return line == "..." || line == "@@" ? std::string_view() : line;
}

/// What stands behind a marker; nullopt when the line is not that marker.
std::optional<std::string_view> marked(std::string_view line, std::string_view marker) {
  line = trimmed(line);
  if (!line.starts_with(marker)) return std::nullopt;
  return trimmed(line.substr(marker.size()));
}

class ApplyPatchReading {
 public:
  ApplyPatchReading(PatchCursor cursor, const PatchLimits& limits)
      : cursor_(std::move(cursor)), limits_(limits) {}

  Result<std::vector<FilePatch>> read() {
    TRY(enter());
    while (!cursor_.is_done()) {
      if (trimmed(cursor_.text()).empty()) {
        cursor_.next();
        continue;
      }
      TRY(file());
      if (files_.size() > limits_.files) {
        return fail(ErrorCode::kResourceExhausted,
                    fmt::format("the patch has more than {} files; divide it", limits_.files));
      }
    }
    if (files_.empty()) return cursor_.refuse(0, "the patch has no file");
    return std::move(files_);
  }

 private:
  /// Leaves the lines between the markers.
  Result<void> enter() {
    std::size_t begin = 0;
    std::size_t stop = cursor_.stop();
    const auto narrow = [&] {
      while (begin < stop && trimmed(cursor_.text(begin)).empty()) ++begin;
      while (begin < stop && trimmed(cursor_.text(stop - 1)).empty()) --stop;
    };
    narrow();
    const std::string_view end =
        begin < stop ? end_of_here_document(trimmed(cursor_.text(begin))) : std::string_view();
    if (!end.empty()) {
      if (stop - begin < 4 || trimmed(cursor_.text(stop - 1)) != end) {
        return cursor_.refuse(begin,
                              fmt::format("the here-document does not end with {}", shown(end)));
      }
      ++begin, --stop;
      narrow();
    }
    if (begin >= stop || trimmed(cursor_.text(begin)) != kBegin) {
      return cursor_.refuse(begin, "the first line of the patch is \"*** Begin Patch\"");
    }
    if (stop - begin < 2 || trimmed(cursor_.text(stop - 1)) != kEnd) {
      return cursor_.refuse(stop - 1, "the last line of the patch is \"*** End Patch\"");
    }
    cursor_.narrow(begin + 1, stop - 1);
    return {};
  }

  Result<void> file() {
    FilePatch file;
    file.patch_line = cursor_.number();
    const std::size_t head = cursor_.at();
    const std::string_view line = cursor_.text();
    cursor_.next();
    if (const auto path = marked(line, kAdd)) {
      file.operation = Operation::kCreate;
      file.path = *path;
      TRY(added_lines(file));
    } else if (const auto deleted = marked(line, kDelete)) {
      file.operation = Operation::kDelete;
      file.path = *deleted;
    } else if (const auto updated = marked(line, kUpdate)) {
      file.path = *updated;
      TRY(update(file));
    } else {
      return cursor_.refuse(
          head, fmt::format("a file begins with \"*** Add File: \", \"*** Delete File: \" or "
                            "\"*** Update File: \", not with {}",
                            shown(line)));
    }
    if (file.path.empty()) return cursor_.refuse(head, "the name of the file is empty");
    files_.push_back(std::move(file));
    return {};
  }

  Result<void> added_lines(FilePatch& file) {
    PatchHunk hunk;
    hunk.place = StatedPlace{0, 1};
    hunk.patch_line = cursor_.number();
    for (; cursor_.begins("+"); cursor_.next()) hunk.lines.push_back(cursor_.hunk_line());
    if (!cursor_.is_done() && !trimmed(cursor_.text()).empty() && !cursor_.begins("*")) {
      return cursor_.refuse(fmt::format("each line of an added file begins with \"+\", not as {}",
                                        shown(cursor_.text())));
    }
    if (!hunk.lines.empty()) file.hunks.push_back(std::move(hunk));
    return {};
  }

  Result<void> update(FilePatch& file) {
    if (!cursor_.is_done()) {
      if (const auto to = marked(cursor_.text(), kMove)) {
        if (to->empty()) return cursor_.refuse("the name of the file is empty");
        file.new_path = *to;
        cursor_.next();
      }
    }
    for (;;) {
      while (!cursor_.is_done() && cursor_.text().empty()) cursor_.next();
      if (cursor_.is_done() || trimmed(cursor_.text()).starts_with("***")) break;
      TRY(hunk(file));
    }
    if (file.hunks.empty() && file.new_path.empty()) {
      return cursor_.refuse(static_cast<std::size_t>(file.patch_line - 1),
                            "the update has no hunk: add one that begins with \"@@\"");
    }
    return {};
  }

  Result<void> hunk(FilePatch& file) {
    if (++hunks_ > limits_.hunks) {
      return fail(ErrorCode::kResourceExhausted,
                  fmt::format("the patch has more than {} hunks; divide it", limits_.hunks));
    }
    PatchHunk hunk;
    hunk.patch_line = cursor_.number();
    const std::size_t head = cursor_.at();
    for (; cursor_.begins("@@"); cursor_.next()) {
      if (const auto place = read_stated_place(cursor_.text())) {
        hunk.place = place;
      } else if (const auto anchor = anchor_of(cursor_.text()); !anchor.empty()) {
        hunk.anchors.emplace_back(anchor);
      }
    }
    bool is_change = false;
    std::size_t unsigned_lines = 0;  // Empty ones at the end: they separate.
    for (; !cursor_.is_done(); cursor_.next()) {
      const std::string_view text = cursor_.text();
      if (trimmed(text) == kEndOfFile) {
        hunk.is_at_end = true;
        cursor_.next();
        break;
      }
      if (text.starts_with("@@") || text.starts_with("***")) break;
      if (!text.empty() && text[0] != ' ' && text[0] != '-' && text[0] != '+') {
        return cursor_.refuse(fmt::format(
            "a line of a hunk begins with \" \", \"-\" or \"+\", not as {}", shown(text)));
      }
      hunk.lines.push_back(cursor_.hunk_line());
      unsigned_lines = text.empty() ? unsigned_lines + 1 : 0;
      is_change = is_change || hunk.lines.back().sign != Sign::kContext;
    }
    if (!is_change) {
      return cursor_.refuse(head, "the hunk has neither an added nor a removed line");
    }
    hunk.lines.resize(hunk.lines.size() - unsigned_lines);
    file.hunks.push_back(std::move(hunk));
    return {};
  }

  PatchCursor cursor_;
  const PatchLimits& limits_;
  std::vector<FilePatch> files_;
  std::size_t hunks_ = 0;
};

}  // namespace

bool begins_apply_patch(std::string_view text) {
  bool is_opened = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.size(), text.find('\n'));
    const std::string_view line = trimmed(text.substr(0, end));
    if (line == kBegin) return true;
    if (!line.empty() && (is_opened || end_of_here_document(line).empty())) return false;
    is_opened = is_opened || !line.empty();
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return false;
}

Result<std::vector<FilePatch>> read_apply_patch(std::string_view text, const PatchLimits& limits) {
  TRY_ASSIGN(PatchCursor cursor, PatchCursor::of(text, limits));
  return ApplyPatchReading(std::move(cursor), limits).read();
}

}  // namespace filecall::edit
