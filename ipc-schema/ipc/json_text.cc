// SPDX-License-Identifier: MIT
#include "ipc/json_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

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

/// Appends to a string through a pointer: a string checks and ends itself with every byte, and most
/// of what JSON is made of is bytes and short words.
class Appender {
 public:
  explicit Appender(std::string& out)
      : out_(out), begin_(out.size()), at_(out.data() + begin_), end_(at_) {}
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;
  ~Appender() { out_.resize(size()); }

  /// So that the next bytes find it at once.
  void make_room(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) grow(bytes);
  }
  void put(char c) {
    if (at_ == end_) grow(1);
    *at_++ = c;
  }
  void put(std::string_view text) {
    make_room(text.size());
    if (text.empty()) return;
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(at_ - out_.data()); }
  /// The string clears what it grows by: that stays in proportion to what was written here. Never
  /// inlined, so that what calls it is.
  [[gnu::noinline]] void grow(std::size_t needed) {
    const std::size_t used = size();
    out_.resize(used + needed + (used - begin_));
    at_ = out_.data() + used;
    end_ = out_.data() + out_.size();
  }

  std::string& out_;
  std::size_t begin_;  ///< Bytes that were there before.
  char* at_;
  char* end_;
};

/// Most trees are larger.
constexpr std::size_t kTreeBytes = 256;

void put_escaped(Appender& out, std::string_view text) {
  for (;;) {
    const std::size_t plain = plain_run(text).size;
    out.put(text.substr(0, plain));
    if (plain == text.size()) return;
    const auto byte = static_cast<unsigned char>(text[plain]);
    text.remove_prefix(plain + 1);
    const char escape = kEscapes[byte];
    out.put('\\');
    out.put(escape);
    if (escape != 'u') continue;
    constexpr std::string_view kHex = "0123456789abcdef";
    out.put("00");
    out.put(kHex[byte >> 4]);
    out.put(kHex[byte & 15]);
  }
}

void put_string(Appender& out, std::string_view text) {
  out.make_room(text.size() + 2);
  out.put('"');
  if (const PlainRun run = plain_run(text); run.is_ascii && run.size == text.size()) {
    out.put(text);
  } else if (is_valid_utf8(text)) {
    put_escaped(out, text);
  } else {
    put_escaped(out, sanitize_utf8(text));
  }
  out.put('"');
}

template <typename Number>
void put_integer(Appender& out, Number value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.put({buffer, static_cast<std::size_t>(end - buffer)});
}

void put_float(Appender& out, double value) {
  if (!std::isfinite(value)) return out.put("null");
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
  out.put(digits);
  // A float stays a float when it is read again.
  if (digits.find_first_of(".e") == std::string_view::npos) out.put(".0");
}

void put_json(Appender& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: {
      char before = '{';
      for (const auto& [key, member] : *value.get_ptr<const Json::object_t*>()) {
        out.put(before);
        before = ',';
        put_string(out, key);
        out.put(':');
        put_json(out, member);
      }
      return out.put(before == '{' ? "{}" : "}");
    }
    case Json::value_t::array: {
      char before = '[';
      for (const Json& element : *value.get_ptr<const Json::array_t*>()) {
        out.put(before);
        before = ',';
        put_json(out, element);
      }
      return out.put(before == '[' ? "[]" : "]");
    }
    case Json::value_t::string:
      return put_string(out, *value.get_ptr<const std::string*>());
    case Json::value_t::boolean:
      return out.put(value.get<bool>() ? "true" : "false");
    case Json::value_t::number_integer:
      return put_integer(out, value.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return put_integer(out, value.get<std::uint64_t>());
    case Json::value_t::number_float:
      return put_float(out, value.get<double>());
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded:
      return out.put("null");
  }
}

}  // namespace

void append_json(std::string& out, const Json& value) {
  Appender appender(out);
  if (value.is_structured()) appender.make_room(kTreeBytes);
  put_json(appender, value);
}

void append_json_string(std::string& out, std::string_view text) {
  Appender appender(out);
  put_string(appender, text);
}

void append_json_integer(std::string& out, std::int64_t value) {
  Appender appender(out);
  put_integer(appender, value);
}

std::string excerpt(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return sanitize_utf8(text);
  std::size_t cut = bytes_max;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
  return sanitize_utf8(text.substr(0, cut)) + "...";
}

}  // namespace filecall
