// SPDX-License-Identifier: MIT
#include "client/agent/plan/lenient_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ipc/json_text.h"
#include "ipc/limits.h"

namespace filecall::client {
namespace {

bool is_word_begin(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_word(char c) { return is_word_begin(c) || (c >= '0' && c <= '9') || c == '-'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<unsigned> hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return {};
  unsigned value = 0;
  for (const char c : text.substr(at, 4)) {
    const int digit = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return {};
    value = value * 16 + static_cast<unsigned>(digit);
  }
  return value;
}

void append_code_point(std::string& out, unsigned code) {
  const auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

/// Recursive descent, bounded in depth. After a false return fault() says why.
class LenientReader {
 public:
  LenientReader(std::string_view text, std::size_t offset) : text_(text), at_(offset) {}

  bool read_value(Json& out, int depth) {
    if (!skip_blanks()) return false;
    if (at_ == text_.size()) return truncated("a value");
    const char c = text_[at_];
    if (c == '{') return read_object(out, depth);
    if (c == '[') return read_array(out, depth);
    if (c == '"') return read_string_value(out);
    if (c == '-' || is_digit(c)) return read_number(out);
    if (is_word_begin(c)) return read_word(out);
    if (c == '\'') return refuse("not_json", "a string in single quotes; use double quotes");
    return refuse("not_json", "expected a value, found " + shown());
  }

  std::size_t at() const { return at_; }
  JsonFault take_fault() { return std::move(fault_); }
  std::vector<std::string> take_repairs() { return std::move(repairs_); }

 private:
  bool refuse(std::string rule, std::string message) {
    fault_ = {std::move(rule), at_, std::move(message)};
    return false;
  }
  bool truncated(const char* expected) {
    at_ = text_.size();
    return refuse("truncated", fmt::format("the answer ends where {} is expected", expected));
  }
  std::string shown() const {
    // The whole character.
    std::size_t size = 1;
    while (at_ + size < text_.size() && (text_[at_ + size] & 0xC0) == 0x80) ++size;
    return "'" + excerpt(text_.substr(at_, size)) + "'";
  }
  void repair(const char* what) {
    if (std::find(repairs_.begin(), repairs_.end(), what) == repairs_.end()) {
      repairs_.emplace_back(what);
    }
  }

  bool skip_blanks() {
    for (;;) {
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' ||
                                    text_[at_] == '\r')) {
        ++at_;
      }
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return truncated("the end of a comment");
        at_ = end + 2;
      } else {
        return true;
      }
      repair("a comment");
    }
  }

  bool read_name(std::string& name) {
    if (text_[at_] == '"') return read_string(name);
    if (!is_word_begin(text_[at_])) {
      return refuse("not_json", text_[at_] == '\''
                                    ? "a name in single quotes; use double quotes"
                                    : "expected a name in double quotes, found " + shown());
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    name = text_.substr(begin, at_ - begin);
    repair("a name without quotes");
    return true;
  }

  bool read_object(Json& out, int depth) {
    if (depth == 0) return refuse("too_deep", too_deep());
    ++at_;
    out = Json::object();
    for (bool is_first = true;; is_first = false) {
      if (!skip_blanks()) return false;
      if (at_ == text_.size()) return truncated("the next member or '}'");
      if (text_[at_] == '}') {
        if (!is_first) repair("a trailing comma");
        ++at_;
        return true;
      }
      const std::size_t begin = at_;
      std::string name;
      if (!read_name(name) || !skip_blanks()) return false;
      if (at_ == text_.size()) return truncated("':'");
      if (text_[at_] != ':')
        return refuse("not_json", "expected ':' after a name, found " + shown());
      ++at_;
      Json value;
      if (!read_value(value, depth - 1)) return false;
      if (!out.emplace(name, std::move(value)).second) {
        at_ = begin;
        return refuse("duplicate_name", "a second member with the name '" + excerpt(name) + "'");
      }
      bool is_last = false;
      if (!read_separator('}', is_last)) return false;
      if (is_last) return true;
    }
  }

  bool read_array(Json& out, int depth) {
    if (depth == 0) return refuse("too_deep", too_deep());
    ++at_;
    out = Json::array();
    for (bool is_first = true;; is_first = false) {
      if (!skip_blanks()) return false;
      if (at_ == text_.size()) return truncated("the next element or ']'");
      if (text_[at_] == ']') {
        if (!is_first) repair("a trailing comma");
        ++at_;
        return true;
      }
      Json value;
      if (!read_value(value, depth - 1)) return false;
      out.push_back(std::move(value));
      bool is_last = false;
      if (!read_separator(']', is_last)) return false;
      if (is_last) return true;
    }
  }

  bool read_separator(char end, bool& is_last) {
    if (!skip_blanks()) return false;
    if (at_ == text_.size()) return truncated(end == '}' ? "',' or '}'" : "',' or ']'");
    is_last = text_[at_] == end;
    if (is_last || text_[at_] == ',') {
      ++at_;
      return true;
    }
    return refuse("not_json", fmt::format("expected ',' or '{}' after {}, found {}", end,
                                          end == '}' ? "a member" : "an element", shown()));
  }

  bool read_string_value(Json& out) {
    std::string text;
    if (!read_string(text)) return false;
    out = std::move(text);
    return true;
  }

  bool read_string(std::string& out) {
    ++at_;
    for (;;) {
      if (at_ == text_.size()) return truncated("the end of a string");
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\') {
        if (!read_escape(out)) return false;
        continue;
      }
      if (static_cast<unsigned char>(c) < 0x20)
        repair("a line break or control character in a string");
      out += c;
      ++at_;
    }
  }

  bool read_escape(std::string& out) {
    if (at_ + 1 >= text_.size()) return truncated("the end of a string");
    constexpr std::string_view kEscapes = "\"\\/bfnrt'";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t'";
    const char name = text_[at_ + 1];
    if (name == 'u') return read_unicode_escape(out);
    const std::size_t found = kEscapes.find(name);
    if (found == std::string_view::npos) {
      return refuse("not_json", "an escape that JSON does not know; a backslash is written \\\\");
    }
    if (name == '\'') repair("an escaped single quote");
    out += kMeanings[found];
    at_ += 2;
    return true;
  }

  bool read_unicode_escape(std::string& out) {
    const auto first = hex4(text_, at_ + 2);
    if (!first && at_ + 6 > text_.size()) return truncated("the end of a string");
    if (!first) return refuse("not_json", "\\u is followed by four hexadecimal digits");
    unsigned code = *first;
    std::size_t size = 6;
    if (code >= 0xD800 && code <= 0xDFFF) {
      const bool has_second = code < 0xDC00 && text_.substr(at_ + 6).starts_with("\\u");
      const auto second = has_second ? hex4(text_, at_ + 8) : std::nullopt;
      if (!second || *second < 0xDC00 || *second > 0xDFFF) {
        return refuse("not_json", "half of a surrogate pair");
      }
      code = 0x10000 + ((code - 0xD800) << 10) + (*second - 0xDC00);
      size = 12;
    }
    append_code_point(out, code);
    at_ += size;
    return true;
  }

  bool read_number(Json& out) {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_digit(text_[at_]) ||
            std::string_view("+-.eE").find(text_[at_]) != std::string_view::npos)) {
      ++at_;
    }
    out = Json::parse(text_.substr(begin, at_ - begin), nullptr, false);
    if (out.is_number()) return true;
    at_ = begin;
    return refuse("not_json", "a number that JSON does not know");
  }

  bool read_word(Json& out) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    constexpr std::string_view kPythons[] = {"True", "False", "None"};
    if (std::find(std::begin(kPythons), std::end(kPythons), word) != std::end(kPythons)) {
      repair("True, False or None");
    }
    if (word == "true" || word == "True") {
      out = true;
    } else if (word == "false" || word == "False") {
      out = false;
    } else if (word == "null" || word == "None") {
      out = nullptr;
    } else if (at_ == text_.size()) {
      return truncated("the rest of a value");
    } else {
      at_ = begin;
      return refuse("not_json", "a text without quotes, '" + excerpt(word, 40) + "'");
    }
    return true;
  }

  static std::string too_deep() {
    return fmt::format("nested deeper than {} levels", limits::kDepth);
  }

  std::string_view text_;
  std::size_t at_;
  JsonFault fault_;
  std::vector<std::string> repairs_;
};

}  // namespace

Result<LenientObject, JsonFault> read_lenient_object(std::string_view text, std::size_t offset) {
  LenientReader reader(text, offset);
  LenientObject object;
  if (!reader.read_value(object.value, limits::kDepth)) return reader.take_fault();
  object.end = reader.at();
  object.repairs = reader.take_repairs();
  return object;
}

}  // namespace filecall::client
