// SPDX-License-Identifier: MIT
#include "worker/net/http_headers.h"

#include <algorithm>

namespace filecall::worker {
namespace {

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

void HttpHeaders::add(std::string_view name, std::string_view value) {
  std::string lower(trim(name));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  fields_.emplace_back(std::move(lower), std::string(trim(value)));
}

std::optional<std::string_view> HttpHeaders::find(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace filecall::worker
