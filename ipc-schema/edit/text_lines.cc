// SPDX-License-Identifier: MIT
#include "edit/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/utf8.h"

namespace filecall::edit {

std::string_view bytes_of(LineEnd end) {
  switch (end) {
    case LineEnd::kNone:
      return "";
    case LineEnd::kLf:
      return "\n";
    case LineEnd::kCrLf:
      return "\r\n";
  }
  return "";
}

std::string_view to_string(TextFault::Kind kind) {
  switch (kind) {
    case TextFault::Kind::kBinary:
      return "binary";
    case TextFault::Kind::kEncoding:
      return "encoding";
    case TextFault::Kind::kTooLarge:
      return "too large";
  }
  return "";
}

std::optional<TextFault> find_text_fault(std::string_view bytes) {
  if (bytes.size() > TextLines::kBytesMax) {
    return TextFault{TextFault::Kind::kTooLarge, TextLines::kBytesMax};
  }
  if (const std::size_t at = bytes.find('\0'); at != std::string_view::npos) {
    return TextFault{TextFault::Kind::kBinary, at};
  }
  if (const std::size_t at = find_invalid_utf8(bytes); at != std::string_view::npos) {
    return TextFault{TextFault::Kind::kEncoding, at};
  }
  return std::nullopt;
}

Result<TextLines> TextLines::of(std::string_view bytes, std::string_view name) {
  const auto fault = find_text_fault(bytes);
  if (!fault) return TextLines(bytes);
  switch (fault->kind) {
    case TextFault::Kind::kBinary:
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{}: binary: byte {} is NUL; only text can be edited", name,
                              fault->offset + 1));
    case TextFault::Kind::kEncoding:
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{}: encoding: byte {}, line {} is not UTF-8; convert it to UTF-8",
                              name, fault->offset + 1,
                              std::count(bytes.begin(), bytes.begin() + fault->offset, '\n') + 1));
    case TextFault::Kind::kTooLarge:
      break;
  }
  return fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("{}: too large: {} bytes, {} can be edited", name, bytes.size(), kBytesMax));
}

TextLines::TextLines(std::string_view bytes) : bytes_(bytes) {
  lines_.reserve(static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 1);
  std::size_t with_cr = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t at = bytes.find('\n', begin);
    const std::size_t stop = std::min(at, bytes.size());
    LineEnd end = at == std::string_view::npos ? LineEnd::kNone : LineEnd::kLf;
    std::size_t size = stop - begin;
    if (end == LineEnd::kLf && size > 0 && bytes[stop - 1] == '\r') {
      end = LineEnd::kCrLf;
      --size;
      ++with_cr;
    }
    lines_.push_back({static_cast<std::uint32_t>(begin),
                      static_cast<std::uint32_t>(size << 2) | static_cast<std::uint32_t>(end)});
    begin = stop + 1;
  }
  if (with_cr * 2 > lines_.size()) usual_end_ = LineEnd::kCrLf;
}

std::size_t TextLines::line_at(std::size_t offset) const {
  const auto behind =
      std::ranges::upper_bound(lines_, offset, {}, [](const Place& place) { return place.begin; });
  return behind == lines_.begin() ? 0 : static_cast<std::size_t>(behind - lines_.begin()) - 1;
}

LineEnd TextLines::end_near(std::size_t line) const {
  if (line < size() && end(line) != LineEnd::kNone) return end(line);
  if (line > 0 && line <= size() && end(line - 1) != LineEnd::kNone) return end(line - 1);
  return usual_end_;
}

}  // namespace filecall::edit
