// SPDX-License-Identifier: MIT
#include "edit/text_form.h"

#include <utility>
#include <vector>

#include "edit/text_diff.h"

namespace filecall::edit {
namespace {

/// The ways in which the lines of a text end.
struct EndKinds {
  bool has_lf = false;
  bool has_crlf = false;
  bool are_both() const { return has_lf && has_crlf; }
  bool is_one() const { return has_lf != has_crlf; }
};

EndKinds end_kinds(std::string_view text) {
  EndKinds kinds;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos && !kinds.are_both();
       at = text.find('\n', at + 1)) {
    const bool is_crlf = at > 0 && text[at - 1] == '\r';
    (is_crlf ? kinds.has_crlf : kinds.has_lf) = true;
  }
  return kinds;
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

/// All lines end with LF, the last one, too: what then differs are the lines themselves.
std::string bare_lines(std::string_view text) {
  std::string out = with_ends(without_mark(text), LineEnd::kLf);
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  return out;
}

/// Writes the lines of the new content one after the other, each with an end.
class EndsOfOld {
 public:
  EndsOfOld(const TextLines& old, const TextLines& fresh) : old_(old), fresh_(fresh) {}

  std::string write(const std::vector<DiffHunk>& hunks) {
    for (const DiffHunk& hunk : hunks) {
      // Both texts have lines, so that each side of a hunk has some and states its first.
      while (at_ + 1 < static_cast<std::size_t>(hunk.hunk.place->new_start)) keep();
      for (const PatchLine& line : hunk.hunk.lines) take(line.sign);
    }
    while (at_ < fresh_.size()) keep();
    return std::move(out_);
  }

 private:
  void take(Sign sign) {
    if (sign == Sign::kContext) return keep();
    if (sign == Sign::kRemoved) {
      ++old_at_;
      ++removed_;
      return;
    }
    // The first added line replaces the first removed one; those beyond, the last one.
    add(removed_ > 0 ? old_at_ - removed_ : old_at_);
    if (removed_ > 1) --removed_;
  }
  void keep() {
    add(old_at_++);
    removed_ = 0;
  }
  void add(std::size_t like) {
    out_ += fresh_.text(at_);
    // Whether the last line has an end is with_final_newline_of()'s business.
    if (fresh_.end(at_) != LineEnd::kNone) out_ += bytes_of(old_.end_near(like));
    ++at_;
  }

  const TextLines& old_;
  const TextLines& fresh_;
  std::size_t old_at_ = 0;
  std::size_t at_ = 0;
  std::size_t removed_ = 0;  ///< Lines right before `old_at_` that nothing has replaced yet.
  std::string out_;
};

/// The new content with the ends of the old one, which has both kinds.
std::string with_mixed_ends(std::string_view old_content, std::string_view new_content) {
  const auto old = TextLines::of(old_content, "the file");
  const auto fresh = TextLines::of(new_content, "the new content");
  const auto hunks = diff_texts(bare_lines(old_content), bare_lines(new_content));
  if (!old || !fresh || !hunks) return std::string(new_content);
  return EndsOfOld(*old, *fresh).write(*hunks);
}

}  // namespace

std::string with_ends(std::string_view text, LineEnd end) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n') {
      out += text[at];
      continue;
    }
    if (at > 0 && text[at - 1] == '\r') out.pop_back();
    out += bytes_of(end);
  }
  return out;
}

std::string in_form_of(std::string_view old_content, std::string_view new_content) {
  std::string out(new_content);
  if (old_content.empty() || new_content.empty()) return out;
  const EndKinds kinds = end_kinds(old_content);
  if (!end_kinds(new_content).are_both()) {
    if (kinds.is_one()) out = with_ends(out, kinds.has_lf ? LineEnd::kLf : LineEnd::kCrLf);
    if (kinds.are_both()) out = with_mixed_ends(old_content, out);
  }
  if (old_content.starts_with(kByteOrderMark) && !out.starts_with(kByteOrderMark)) {
    out.insert(0, kByteOrderMark);
  }
  return with_final_newline_of(old_content, std::move(out));
}

std::string with_final_newline_of(std::string_view old_content, std::string out) {
  if (old_content.empty() || out.empty()) return out;
  const bool had_newline = old_content.ends_with('\n');
  if (had_newline && !out.ends_with('\n')) {
    out += old_content.ends_with("\r\n") ? "\r\n" : "\n";
  } else if (!had_newline && out.ends_with('\n')) {
    out.resize(out.size() - (out.ends_with("\r\n") ? 2 : 1));
  }
  return out;
}

}  // namespace filecall::edit
