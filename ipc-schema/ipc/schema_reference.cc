// SPDX-License-Identifier: MIT
#include "ipc/schema_reference.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>

#include "ipc/json_text.h"

namespace filecall {
namespace {

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) {
      return std::nullopt;
    }
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

std::string unescaped(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    if (is_escape && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      out += token[i];
    }
  }
  return out;
}

const Json* step_into(const Json& value, const std::string& token) {
  if (value.is_object()) {
    const auto member = value.find(token);
    return member == value.end() ? nullptr : &*member;
  }
  if (!value.is_array()) return nullptr;
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  return error == std::errc{} && stop == end && index < value.size() ? &value[index] : nullptr;
}

}  // namespace

Result<const Json*> find_reference(const Json& document, std::string_view reference) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("$ref {} {}", excerpt(reference), why));
  };
  const auto pointer = percent_decoded(reference.substr(reference.empty() ? 0 : 1));
  const bool is_pointer =
      reference.starts_with("#") && pointer && (pointer->empty() || pointer->front() == '/');
  if (!is_pointer) {
    return refuse(
        "leads out of the schema; only a JSON pointer into it is followed, as "
        "#/definitions/NAME");
  }
  const Json* at = &document;
  for (std::string_view rest = *pointer; !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view token = rest.substr(0, rest.find('/'));
    rest.remove_prefix(token.size());
    at = step_into(*at, unescaped(token));
    if (at == nullptr) return refuse("names nothing in the schema");
  }
  return at;
}

}  // namespace filecall
