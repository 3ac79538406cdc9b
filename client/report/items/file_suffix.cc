// SPDX-License-Identifier: MIT
#include "client/report/items/file_suffix.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace filecall::client {
namespace {

constexpr std::string_view kNoFormat = "terminal";

struct SuffixFormat {
  std::string_view suffix;
  std::string_view format;
};
constexpr SuffixFormat kSuffixFormats[] = {
    {".csv", "csv"},  {".json", "json"},   {".xml", "junit"},         {".html", "html"},
    {".htm", "html"}, {".md", "markdown"}, {".markdown", "markdown"},
};

std::string suffix_of(std::string_view out) {
  const std::string_view name = out.substr(out.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  std::string suffix(dot == name.npos ? "" : name.substr(dot));
  std::ranges::transform(suffix, suffix.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return suffix;
}

}  // namespace

Result<std::string> format_of_suffix(std::string_view out,
                                     std::span<const std::string_view> formats) {
  const std::string suffix = suffix_of(out);
  const auto* const found = std::ranges::find(kSuffixFormats, suffix, &SuffixFormat::suffix);
  if (found == std::end(kSuffixFormats)) return std::string(kNoFormat);
  if (std::ranges::find(formats, found->format) != formats.end()) {
    return std::string(found->format);
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("--out {}: {} is none of the formats that can be written here ({}); name "
                          "one of them, or 'terminal', with --format",
                          out, found->format, fmt::join(formats, ", ")));
}

}  // namespace filecall::client
