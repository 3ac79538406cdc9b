// SPDX-License-Identifier: MIT
#include "yaml/yaml_scalar.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/utf8.h"

namespace filecall {
namespace {

template <typename Number>
std::optional<Number> scalar_number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace

Json scalar_to_json(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;
  if (text == "true" || text == "false") return text == "true";
  if (text == "null" || text == "~" || text.empty()) return nullptr;
  if (const auto integer = scalar_number<std::int64_t>(text)) return *integer;
  if (const auto number = scalar_number<double>(text); number && std::isfinite(*number)) {
    return *number;
  }
  return text;
}

Error yaml_syntax_error(const std::string& file_name, const YAML::Exception& thrown) {
  // The parser takes a question mark within {} and [] for a sign of its own.
  const bool may_lack_quotes = thrown.msg == YAML::ErrorMsg::UNKNOWN_TOKEN;
  return {ErrorCode::kInvalidArgument,
          fmt::format("{}:{}:{}: {}{}", file_name, thrown.mark.line + 1, thrown.mark.column + 1,
                      sanitize_utf8(thrown.msg),
                      may_lack_quotes ? "; within {} and [] put a text with '?' into quotes" : "")};
}

}  // namespace filecall
