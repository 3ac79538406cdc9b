// SPDX-License-Identifier: MIT
#include "yaml/yaml_scalar.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace filecall
