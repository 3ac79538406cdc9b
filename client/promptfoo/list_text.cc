// SPDX-License-Identifier: MIT
#include "client/promptfoo/list_text.h"

#include <algorithm>
#include <string>

namespace filecall::client {
namespace {

constexpr std::string_view kListBlanks = " \t\r\n\v\f";

std::size_t skip(std::string_view text, std::size_t at, bool skips_commas) {
  while (at < text.size() &&
         (kListBlanks.find(text[at]) != kListBlanks.npos || (skips_commas && text[at] == ','))) {
    ++at;
  }
  return at;
}

/// `at` is behind the opening quote, and is then behind the closing one.
Result<std::string> quoted(std::string_view text, std::size_t& at) {
  std::string field;
  for (; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] == '\\' && (next == '"' || next == '\\')) {
      field += text[++at];
    } else if (text[at] == '"' && next == '"') {
      field += text[++at];
    } else if (text[at] == '"') {
      ++at;
      return field;
    } else {
      field += text[at];
    }
  }
  return fail(ErrorCode::kInvalidArgument, "a quote in the list of values does not end");
}

std::string unquoted(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find(',', at), text.size());
  std::string_view field = text.substr(at, end - at);
  field = field.substr(0, field.find_last_not_of(kListBlanks) + 1);
  at = end;
  return std::string(field);
}

}  // namespace

Result<Json> split_list(std::string_view text) {
  Json list = Json::array();
  for (std::size_t at = skip(text, 0, true); at < text.size(); at = skip(text, at, true)) {
    if (text[at] != '"') {
      list.push_back(unquoted(text, at));
      continue;
    }
    TRY_ASSIGN(std::string field, quoted(text, ++at));
    list.push_back(std::move(field));
    at = skip(text, at, false);
    if (at < text.size() && text[at] != ',') {
      return fail(ErrorCode::kInvalidArgument,
                  "a comma is missing behind a quoted text in the list of values");
    }
  }
  return list;
}

}  // namespace filecall::client
