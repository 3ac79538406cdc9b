// SPDX-License-Identifier: MIT
#include "client/agent/plan/answer_parts.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace filecall::client {
namespace {

constexpr auto kNowhere = std::string_view::npos;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

std::size_t line_end(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// A line that opens or closes a block (CommonMark 0.30, 4.5).
struct Fence {
  char mark = '`';
  std::size_t length = 0;
  std::string_view info;
};

std::optional<Fence> fence_of(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && at < 4 && line[at] == ' ') ++at;
  if (at == 4 || at == line.size() || (line[at] != '`' && line[at] != '~')) return {};
  Fence fence{line[at], 0, {}};
  while (at < line.size() && line[at] == fence.mark) ++at, ++fence.length;
  if (fence.length < 3) return {};
  fence.info = trimmed(line.substr(at));
  if (fence.mark == '`' && fence.info.find('`') != kNowhere) return {};
  return fence;
}

bool closes(const Fence& fence, const Fence& opened) {
  return fence.mark == opened.mark && fence.length >= opened.length && fence.info.empty();
}

/// Whether a block of that kind is only a frame around the object itself.
bool is_frame(std::string_view info) {
  std::string lower(info);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view name : {"", "json", "jsonc", "json5", "jsonl"}) {
    if (lower == name) return true;
  }
  return false;
}

/// Behind blanks and comments; comments that are longer than any in a plan are none.
std::size_t skip_blank(std::string_view text, std::size_t at) {
  constexpr std::size_t kCommentBytesMax = 200;
  for (;;) {
    while (at < text.size() && is_space(text[at])) ++at;
    const std::string_view rest = text.substr(std::min(at, text.size()), kCommentBytesMax);
    std::size_t length = kNowhere;
    if (rest.starts_with("//")) length = rest.find('\n');
    if (rest.starts_with("/*")) length = rest.find("*/");
    if (length == kNowhere) return at;
    at += length + (rest[length] == '*' ? 2 : 1);
  }
}

/// Whether the brace at `at` begins an object, whole or broken, and not "{name}" or code.
bool begins_object(std::string_view text, std::size_t at) {
  at = skip_blank(text, at + 1);
  if (at >= text.size() || text[at] == '"' || text[at] == '}' || text[at] == '\'') return true;
  const std::size_t begin = at;
  while (at < text.size() &&
         (text[at] == '_' || text[at] == '$' || text[at] == '-' ||
          (text[at] >= '0' && text[at] <= '9') || (text[at] >= 'a' && text[at] <= 'z') ||
          (text[at] >= 'A' && text[at] <= 'Z'))) {
    ++at;
  }
  if (at == begin) return false;
  at = skip_blank(text, at);
  return at >= text.size() || text[at] == ':';
}

/// Where a broken object ends, as its braces say; npos: it does not.
std::size_t end_of_broken(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return at + 1;
    if (c != '"') continue;
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\') ++at;
    }
  }
  return kNowhere;
}

/// Walks through an answer once.
class AnswerScan {
 public:
  explicit AnswerScan(std::string_view text) : text_(text) {}

  AnswerParts run(std::size_t begin) {
    at_ = begin;
    is_line_begin_ = true;
    while (at_ < text_.size()) {
      if (is_line_begin_ && take_fence()) continue;
      const char c = text_[at_];
      is_line_begin_ = c == '\n';
      if (c == '{' && begins_object(text_, at_)) {
        take_object();
        continue;
      }
      if (!is_space(c)) parts_.has_prose = true;
      ++at_;
    }
    if (frame_ && is_late_frame_) note_stray(frame_at_);
    return std::move(parts_);
  }

 private:
  void note_stray(std::size_t at) { parts_.stray_fence = std::min(parts_.stray_fence, at); }

  bool take_fence() {
    const std::size_t end = line_end(text_, at_);
    const auto fence = fence_of(text_.substr(at_, end - at_));
    if (!fence) return false;
    const std::size_t begin = at_;
    at_ = std::min(end + 1, text_.size());
    if (frame_ && closes(*fence, *frame_)) {
      // A frame behind a block that frames no object may be what a block was cut off at.
      if (is_late_frame_ && parts_.objects.size() == objects_before_) note_stray(frame_at_);
      frame_.reset();
    } else if (frame_) {
      parts_.has_prose = true;
    } else if (is_frame(fence->info)) {
      frame_ = fence;
      frame_at_ = begin;
      is_late_frame_ = !parts_.blocks.empty();
      objects_before_ = parts_.objects.size();
    } else {
      take_block(*fence, begin);
    }
    is_line_begin_ = true;
    return true;
  }

  void take_block(const Fence& opened, std::size_t begin) {
    AnswerBlock block{opened.info, {}, begin, false};
    const std::size_t first = at_;
    while (at_ < text_.size() && !block.is_closed) {
      const std::size_t end = line_end(text_, at_);
      const auto fence = fence_of(text_.substr(at_, end - at_));
      if (fence && closes(*fence, opened)) {
        block.is_closed = true;
        block.text = text_.substr(first, at_ - first);
      }
      at_ = std::min(end + 1, text_.size());
    }
    if (!block.is_closed) block.text = text_.substr(first);
    parts_.blocks.push_back(block);
  }

  void take_object() {
    auto object = read_lenient_object(text_, at_);
    if (object) {
      parts_.objects.push_back(
          {std::move(object->value), at_, object->end, std::move(object->repairs)});
      at_ = object->end;
      return;
    }
    parts_.broken.push_back({at_, std::move(object).error()});
    const std::size_t end = end_of_broken(text_, at_);
    // What has no end takes all that follows with it.
    at_ = end == kNowhere ? text_.size() : end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_line_begin_ = true;
  std::optional<Fence> frame_;
  std::size_t frame_at_ = 0;
  bool is_late_frame_ = false;
  std::size_t objects_before_ = 0;
  AnswerParts parts_;
};

std::size_t end_of_thinking(std::string_view text) {
  constexpr std::string_view kBegin = "<think>";
  constexpr std::string_view kEnd = "</think>";
  const std::size_t begin = skip_blank(text, 0);
  if (!text.substr(begin).starts_with(kBegin)) return 0;
  const std::size_t end = text.find(kEnd, begin);
  return end == kNowhere ? 0 : end + kEnd.size();
}

}  // namespace

AnswerParts split_answer(std::string_view text) {
  AnswerParts parts = AnswerScan(text).run(end_of_thinking(text));
  if (!parts.objects.empty() || !parts.broken.empty()) return parts;
  // A model may call the block of its plan what it likes.
  for (const AnswerBlock& block : parts.blocks) {
    const auto offset = static_cast<std::size_t>(block.text.data() - text.data());
    AnswerParts inner = AnswerScan(text.substr(0, offset + block.text.size())).run(offset);
    for (AnswerObject& object : inner.objects) parts.objects.push_back(std::move(object));
    for (BrokenObject& broken : inner.broken) parts.broken.push_back(std::move(broken));
  }
  parts.is_from_block = !parts.objects.empty() || !parts.broken.empty();
  return parts;
}

}  // namespace filecall::client
