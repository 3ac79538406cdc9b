// SPDX-License-Identifier: MIT
#include "client/core/prompt_template.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "ipc/json_text.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

/// A stretch of a template: literal text, or the place of a variable.
struct Piece {
  std::string text;  ///< Or the variable's name.
  bool is_place = false;
  bool as_json = false;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Piece place_of(std::string_view inner) {
  Piece piece{"", true, false};
  inner = trimmed(inner);
  constexpr std::string_view kFilter = "|json";
  const std::size_t bar = inner.rfind('|');
  if (bar != std::string_view::npos && trimmed(inner.substr(bar + 1)) == kFilter.substr(1)) {
    piece.as_json = true;
    inner = trimmed(inner.substr(0, bar));
  }
  piece.text = inner;
  return piece;
}

Result<std::vector<Piece>> split(std::string_view text) {
  std::vector<Piece> pieces;
  std::string literal;
  for (;;) {
    const std::size_t open = text.find("{{");
    if (open == std::string_view::npos) break;
    if (open > 0 && text[open - 1] == '\\') {
      literal += text.substr(0, open - 1);
      literal += "{{";
      text.remove_prefix(open + 2);
      continue;
    }
    const std::size_t close = text.find("}}", open);
    if (close == std::string_view::npos) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("'{}' is not closed with '}}}}'; '\\{{{{' stands for the braces",
                              excerpt(text.substr(open), 20)));
    }
    literal += text.substr(0, open);
    if (!literal.empty()) pieces.push_back({std::move(literal), false, false});
    literal.clear();
    pieces.push_back(place_of(text.substr(open + 2, close - open - 2)));
    text.remove_prefix(close + 2);
  }
  literal += text;
  if (!literal.empty()) pieces.push_back({std::move(literal), false, false});
  return pieces;
}

Result<const Json*> find_variable(const Piece& place, const Json& variables) {
  const auto found = variables.find(place.text);
  if (found != variables.end() && (place.as_json || !found->is_null())) return &*found;
  std::string known;
  for (const auto& [name, value] : variables.items()) {
    if (known.size() < 200) known += (known.empty() ? "" : ", ") + name;
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("variable '{}' {}; there are: {}", place.text,
                          found == variables.end() ? "is missing" : "is null", known));
}

/// A cell of a table, which is always a text, as the number or truth value that it spells.
Json cell_value(const std::string& text) {
  const auto parsed = parse_json_strict(text, 1);
  const bool is_plain = parsed && (parsed->is_number() || parsed->is_boolean());
  return is_plain ? *parsed : Json(text);
}

bool has_braces(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find("{{") != std::string::npos;
}

Result<Json> fill_string(const std::string& text, const Json& variables) {
  TRY_ASSIGN(const std::vector<Piece> pieces, split(text));
  const bool is_one_value = pieces.size() == 1 && pieces[0].is_place && pieces[0].as_json;
  if (is_one_value) {
    TRY_ASSIGN(const Json* value, find_variable(pieces[0], variables));
    return value->is_string() ? cell_value(value->get<std::string>()) : *value;
  }
  TRY_ASSIGN(std::string filled, fill_text(text, variables));
  return Json(std::move(filled));
}

}  // namespace

Result<std::string> fill_text(std::string_view text, const Json& variables) {
  TRY_ASSIGN(const std::vector<Piece> pieces, split(text));
  std::string out;
  for (const Piece& piece : pieces) {
    if (!piece.is_place) {
      out += piece.text;
      continue;
    }
    TRY_ASSIGN(const Json* value, find_variable(piece, variables));
    out += value->is_string() && !piece.as_json ? value->get<std::string>() : dump_json(*value);
  }
  return out;
}

Result<Json> fill_json(const Json& value, const Json& variables) {
  if (has_braces(value)) return fill_string(value.get_ref<const std::string&>(), variables);
  if (!value.is_structured()) return value;
  Json out = value;
  for (Json& inner : out) {
    TRY_ASSIGN(inner, fill_json(inner, variables));
  }
  return out;
}

void add_places(const Json& value, std::set<std::string, std::less<>>& names) {
  if (value.is_structured()) {
    for (const Json& inner : value) add_places(inner, names);
  }
  if (!has_braces(value)) return;
  const auto pieces = split(value.get_ref<const std::string&>());
  if (!pieces) return;
  for (const Piece& piece : *pieces) {
    if (piece.is_place) names.insert(piece.text);
  }
}

bool has_place_for(const Json& value, std::string_view variable) {
  if (value.is_structured()) {
    return std::any_of(value.begin(), value.end(),
                       [&](const Json& inner) { return has_place_for(inner, variable); });
  }
  if (!has_braces(value)) return false;
  const auto pieces = split(value.get_ref<const std::string&>());
  return pieces && std::any_of(pieces->begin(), pieces->end(), [&](const Piece& piece) {
           return piece.is_place && piece.text == variable;
         });
}

}  // namespace filecall::client
