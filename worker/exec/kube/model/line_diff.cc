// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/line_diff.h"

#include <fmt/format.h>
#include <git2/diff.h>
#include <git2/global.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "worker/exec/kube/model/equal_ends.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kLineBytes = 400;
constexpr std::size_t kAround = 40;

/// A line as the library hands it over, without its end.
struct Line {
  char sign;  ///< ' ' of both texts, '-' of the first alone, '+' of the second alone, or '\\'.
  std::string_view text;
};
struct Hunk {
  git_diff_hunk range{};
  std::vector<Line> lines;
};
using Hunks = std::vector<Hunk>;

int add_hunk(const git_diff_delta*, const git_diff_hunk* hunk, void* hunks) {
  static_cast<Hunks*>(hunks)->push_back({*hunk, {}});
  return 0;
}

int add_line(const git_diff_delta*, const git_diff_hunk*, const git_diff_line* line, void* hunks) {
  auto& lines = static_cast<Hunks*>(hunks)->back().lines;
  std::string_view text(line->content, line->content_len);
  switch (line->origin) {
    case GIT_DIFF_LINE_CONTEXT_EOFNL:
    case GIT_DIFF_LINE_ADD_EOFNL:
    case GIT_DIFF_LINE_DEL_EOFNL:
      lines.push_back({'\\', " No newline at end of file"});
      return 0;
    default:
      if (text.ends_with('\n')) text.remove_suffix(1);
      lines.push_back({line->origin, text});
      return 0;
  }
}

/// The lines lie in the two texts.
Hunks hunks_of(std::string_view before, std::string_view after) {
  static const int is_ready = ::git_libgit2_init();
  CHECK(is_ready > 0, "libgit2 needs nothing but memory");
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_FORCE_TEXT;
  options.context_lines = 3;
  Hunks hunks;
  const int status =
      ::git_diff_buffers(before.data(), before.size(), nullptr, after.data(), after.size(), nullptr,
                         &options, nullptr, nullptr, add_hunk, add_line, &hunks);
  CHECK(status == 0, "two texts in memory can be compared");
  return hunks;
}

class Writing {
 public:
  explicit Writing(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  void hunk(const Hunk& hunk) {
    std::string body;
    for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
      const char sign = hunk.lines[i].sign;
      out_.removed += sign == '-' ? 1 : 0;
      out_.added += sign == '+' ? 1 : 0;
      body += sign + line(hunk.lines, i) + "\n";
    }
    const auto range = [](int at, int count) {
      return count == 1 ? fmt::format("{}", at) : fmt::format("{},{}", at, count);
    };
    const std::string head =
        fmt::format("@@ -{} +{} @@\n", range(hunk.range.old_start, hunk.range.old_lines),
                    range(hunk.range.new_start, hunk.range.new_lines));
    const std::size_t room = bytes_max_ - std::min(bytes_max_, out_.text.size());
    if (out_.left_out_hunks > 0 || room < head.size() + kLineBytes / 4) {
      ++out_.left_out_hunks;
      return;
    }
    out_.text += head;
    if (head.size() + body.size() <= room) {
      out_.text += body;
      return;
    }
    // At the end of a line: no half of one is taken for a whole.
    const std::size_t cut = body.rfind('\n', room - head.size());
    out_.text += body.substr(0, cut == std::string::npos ? 0 : cut + 1);
    out_.text += "... this hunk goes on\n";
  }

  LineDiff take() { return std::move(out_); }

 private:
  static std::string line(const std::vector<Line>& lines, std::size_t at) {
    const auto& [sign, text] = lines[at];
    if (text.size() <= kLineBytes) return sanitize_utf8(text);
    // The line that stands for it, or for which it stands.
    if (sign == '-' && at + 1 < lines.size() && lines[at + 1].sign == '+') {
      return changed_part(text, lines[at + 1].text, kLineBytes).before;
    }
    if (sign == '+' && at > 0 && lines[at - 1].sign == '-') {
      return changed_part(lines[at - 1].text, text, kLineBytes).after;
    }
    return sanitize_utf8(text.substr(0, kLineBytes)) + "...";
  }

  std::size_t bytes_max_;
  LineDiff out_;
};

}  // namespace

LineDiff line_diff(std::string_view before, std::string_view after, std::size_t bytes_max) {
  Writing writing(bytes_max);
  for (const Hunk& hunk : hunks_of(before, after)) writing.hunk(hunk);
  return writing.take();
}

ChangedPart changed_part(std::string_view before, std::string_view after, std::size_t bytes_max) {
  const EqualEnds same = equal_ends(before, after);
  const std::size_t begin = same.begin - std::min(same.begin, kAround);
  const std::size_t end = same.end - std::min(same.end, kAround);
  const auto part = [&](std::string_view text) {
    const std::string_view middle = text.substr(begin, text.size() - end - begin);
    return (begin > 0 ? "..." : "") + sanitize_utf8(middle.substr(0, bytes_max)) +
           (end > 0 || middle.size() > bytes_max ? "..." : "");
  };
  return {part(before), part(after)};
}

}  // namespace filecall::worker::kube
