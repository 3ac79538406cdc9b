// SPDX-License-Identifier: MIT
#include "ipc/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/utf8.h"
#include "ipc/plain_run.h"

namespace filecall {
namespace {

/// What a byte inside a string needs: 0 nothing, 'u' a \u escape, else the letter of its escape.
constexpr std::array<char, 256> make_escapes() {
  std::array<char, 256> table{};
  for (std::size_t i = 0; i < 0x20; ++i) table[i] = 'u';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['"'] = '"';
  table['\\'] = '\\';
  return table;
}
constexpr std::array<char, 256> kEscapes = make_escapes();

void append_escaped(std::string& out, std::string_view text) {
  for (;;) {
    const std::size_t plain = plain_run(text).size;
    out.append(text.substr(0, plain));
    if (plain == text.size()) return;
    const auto byte = static_cast<unsigned char>(text[plain]);
    text.remove_prefix(plain + 1);
    const char escape = kEscapes[byte];
    out.push_back('\\');
    out.push_back(escape);
    if (escape != 'u') continue;
    constexpr std::string_view kHex = "0123456789abcdef";
    out.append("00");
    out.push_back(kHex[byte >> 4]);
    out.push_back(kHex[byte & 15]);
  }
}

void append_float(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out.append("null");
    return;
  }
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
  out.append(digits);
  // A float stays a float when it is read again.
  if (digits.find_first_of(".e") == std::string_view::npos) out.append(".0");
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  if (const PlainRun run = plain_run(text); run.is_ascii && run.size == text.size()) {
    out.append(text);
  } else if (is_valid_utf8(text)) {
    append_escaped(out, text);
  } else {
    append_escaped(out, sanitize_utf8(text));
  }
  out.push_back('"');
}

void append_json_integer(std::string& out, std::int64_t value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, static_cast<std::size_t>(end - buffer));
}

void append_json(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: {
      char before = '{';
      for (const auto& [key, member] : *value.get_ptr<const Json::object_t*>()) {
        out.push_back(before);
        before = ',';
        append_json_string(out, key);
        out.push_back(':');
        append_json(out, member);
      }
      out.append(before == '{' ? "{}" : "}");
      return;
    }
    case Json::value_t::array: {
      char before = '[';
      for (const Json& element : *value.get_ptr<const Json::array_t*>()) {
        out.push_back(before);
        before = ',';
        append_json(out, element);
      }
      out.append(before == '[' ? "[]" : "]");
      return;
    }
    case Json::value_t::string:
      return append_json_string(out, *value.get_ptr<const std::string*>());
    case Json::value_t::boolean:
      out.append(value.get<bool>() ? "true" : "false");
      return;
    case Json::value_t::number_integer:
      return append_json_integer(out, value.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      out.append(std::to_string(value.get<std::uint64_t>()));
      return;
    case Json::value_t::number_float:
      return append_float(out, value.get<double>());
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded:
      out.append("null");
      return;
  }
}

std::string excerpt(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return sanitize_utf8(text);
  std::size_t cut = bytes_max;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
  return sanitize_utf8(text.substr(0, cut)) + "...";
}

}  // namespace filecall
