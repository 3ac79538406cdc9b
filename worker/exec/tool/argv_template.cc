// SPDX-License-Identifier: MIT
#include "worker/exec/tool/argv_template.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace filecall::worker {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_rest(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '-'; }

/// Length of "{name}" or "{name...}" at the start of `text`; 0 when none stands there.
std::size_t placeholder_length(std::string_view text) {
  if (text.size() < 3 || text[0] != '{' || !is_name_start(text[1])) return 0;
  std::size_t end = 2;
  while (end < text.size() && is_name_rest(text[end])) ++end;
  if (text.substr(end, 3) == "...") end += 3;
  return end < text.size() && text[end] == '}' ? end + 1 : 0;
}

Unexpected<Error> bad_argument(std::string_view name, std::string_view reason) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("/params/args/{}: {}", name, reason));
}

/// Text of a scalar; nullopt for a list or an object.
std::optional<std::string> text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return dump_json(value);
  return std::nullopt;
}

/// The argument, or null when it is absent.
const Json* find_argument(const Json& args, const std::string& name) {
  const auto found = args.find(name);
  return found == args.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

ArgvTemplate::Element ArgvTemplate::parse_element(std::string_view text) {
  Element element;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) element.push_back({false, false, std::exchange(literal, "")});
  };
  while (!text.empty()) {
    if (text.substr(0, 2) == "{{" || text.substr(0, 2) == "}}") {
      literal += text[0];
      text.remove_prefix(2);
    } else if (const std::size_t length = placeholder_length(text); length > 0) {
      flush();
      std::string_view name = text.substr(1, length - 2);
      const bool is_list = name.ends_with("...");
      if (is_list) name.remove_suffix(3);
      element.push_back({true, is_list, std::string(name)});
      text.remove_prefix(length);
    } else {
      literal += text[0];
      text.remove_prefix(1);
    }
  }
  flush();
  return element;
}

Result<ArgvTemplate> ArgvTemplate::parse(const std::vector<std::string>& elements) {
  const auto wrong = [](std::string_view reason) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("argv: {}", reason));
  };
  if (elements.empty()) return wrong("is empty; give the program and its arguments");
  ArgvTemplate result;
  for (const std::string& text : elements) {
    if (text.find('\0') != std::string::npos) return wrong("holds a NUL character");
    Element element = parse_element(text);
    for (const Piece& piece : element) {
      if (piece.is_list && element.size() > 1) {
        return wrong(fmt::format("'{}': a list placeholder must be an element of its own", text));
      }
      if (piece.is_placeholder && result.elements_.empty()) {
        return wrong(fmt::format("'{}': the program must be named, not a placeholder", text));
      }
    }
    result.elements_.push_back(std::move(element));
  }
  if (result.elements_.front().empty()) return wrong("the program's name is empty");
  return result;
}

Result<std::vector<std::string>> ArgvTemplate::expand(const Json& args,
                                                      bool allow_leading_dash) const {
  std::vector<std::string> argv;
  for (const Element& element : elements_) {
    TRY(expand_element(element, args, allow_leading_dash, &argv));
    const bool ends_options =
        element.size() == 1 && !element[0].is_placeholder && element[0].text == "--";
    allow_leading_dash = allow_leading_dash || ends_options;
  }
  return argv;
}

Result<void> ArgvTemplate::expand_element(const Element& element, const Json& args,
                                          bool allow_leading_dash,
                                          std::vector<std::string>* out) const {
  if (element.empty()) {
    out->emplace_back();
    return {};
  }
  for (const Piece& piece : element) {
    if (piece.is_placeholder && find_argument(args, piece.text) == nullptr) return {};
  }
  const std::string& first_name = element.front().text;
  const auto add = [&](std::string text) -> Result<void> {
    if (text.find('\0') != std::string::npos) {
      return bad_argument(first_name, "holds a NUL character, which no argument can");
    }
    if (element.front().is_placeholder && text.starts_with('-') && !allow_leading_dash) {
      return bad_argument(first_name,
                          "starts with '-', which the program would take for an option; give "
                          "another value (a path may start with ./), or set allow_leading_dash");
    }
    out->push_back(std::move(text));
    return {};
  };

  if (element.size() == 1 && element[0].is_placeholder) {
    const Json& value = *find_argument(args, first_name);
    const Json items = value.is_array() ? value : Json::array({value});
    for (const Json& item : items) {
      auto text = text_of(item);
      if (!text) return bad_argument(first_name, "must be text, a number, or a list of these");
      TRY(add(std::move(*text)));
    }
    return {};
  }
  std::string joined;
  for (const Piece& piece : element) {
    if (!piece.is_placeholder) {
      joined += piece.text;
      continue;
    }
    const auto text = text_of(*find_argument(args, piece.text));
    if (!text) return bad_argument(piece.text, "must be text or a number");
    joined += *text;
  }
  return add(std::move(joined));
}

std::vector<std::string_view> ArgvTemplate::names() const {
  std::vector<std::string_view> names;
  for (const Element& element : elements_) {
    for (const Piece& piece : element) {
      const bool is_known = std::find(names.begin(), names.end(), piece.text) != names.end();
      if (piece.is_placeholder && !is_known) names.push_back(piece.text);
    }
  }
  return names;
}

}  // namespace filecall::worker
