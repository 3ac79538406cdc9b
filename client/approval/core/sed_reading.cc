// SPDX-License-Identifier: MIT
#include "client/approval/core/sed_reading.h"

#include <cstddef>

namespace filecall::client {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class SedReader {
 public:
  explicit SedReader(std::string_view text) : text_(text) {}

  bool is_plain() {
    while (skip_blanks(), at_ < text_.size()) {
      if (!take_addresses() || !take_command()) return false;
    }
    return true;
  }

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (now() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (now() == ' ' || now() == '\t' || now() == ';' || now() == '\n') ++at_;
  }
  void skip_spaces() {
    while (now() == ' ' || now() == '\t') ++at_;
  }
  void skip_digits() {
    while (is_digit(now())) ++at_;
  }
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  /// Up to and with the next `end` that is not escaped. Versions of sed differ on one within []:
  /// that is not understood.
  bool skip_to(char end) {
    bool is_class = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') return false;
      if (c == '\\') {
        ++at_;
        continue;
      }
      if (c == end) {
        if (is_class) return false;
        ++at_;
        return true;
      }
      if (c == '[') {
        std::string_view rest = text_.substr(at_ + 1);
        if (rest.starts_with('^')) rest.remove_prefix(1);
        if (rest.starts_with(']')) return false;
        is_class = true;
      }
      if (c == ']') is_class = false;
    }
    return false;
  }
  bool take_address() {
    if (is_digit(now())) {
      skip_digits();
      if (take('~')) skip_digits();
      return true;
    }
    if (take('$')) return true;
    if (take('/')) return skip_to('/') && take_address_flags();
    if (take('\\')) {
      const char end = now();
      if (end == '\0' || end == '\n') return false;
      ++at_;
      return skip_to(end) && take_address_flags();
    }
    return false;
  }
  bool take_address_flags() {
    while (now() == 'I' || now() == 'M') ++at_;
    return true;
  }
  bool take_addresses() {
    const char c = now();
    if (is_digit(c) || c == '$' || c == '/' || c == '\\') {
      if (!take_address()) return false;
      skip_spaces();
      if (take(',')) {
        skip_spaces();
        if (take('+') || take('~')) {
          skip_digits();
        } else if (!take_address()) {
          return false;
        }
      }
    }
    skip_spaces();
    while (take('!')) skip_spaces();
    return true;
  }
  bool take_substitution() {
    const char end = now();
    if (end == '\0' || end == '\n' || end == '\\') return false;
    ++at_;
    if (!skip_to(end) || !skip_to(end)) return false;
    while (now() == 'g' || now() == 'p' || now() == 'i' || now() == 'I' || now() == 'm' ||
           now() == 'M' || is_digit(now())) {
      ++at_;
    }
    return ends_here();
  }
  bool take_translation() {
    const char end = now();
    if (end == '\0' || end == '\n' || end == '\\') return false;
    ++at_;
    return skip_to(end) && skip_to(end) && ends_here();
  }
  bool take_label() {
    while (at_ < text_.size() && text_[at_] != ';' && text_[at_] != '\n' && text_[at_] != '}') {
      ++at_;
    }
    return true;
  }
  bool ends_here() {
    skip_spaces();
    const char c = now();
    return at_ >= text_.size() || c == ';' || c == '\n' || c == '}' || c == '#';
  }
  bool take_command() {
    if (at_ >= text_.size()) return false;
    const char c = text_[at_++];
    switch (c) {
      case '=':
      case 'd':
      case 'D':
      case 'g':
      case 'G':
      case 'h':
      case 'H':
      case 'n':
      case 'N':
      case 'p':
      case 'P':
      case 'x':
      case 'z':
      case 'F':
        return ends_here();
      case 'l':
      case 'L':
      case 'q':
      case 'Q':
        skip_spaces();
        skip_digits();
        return ends_here();
      case '{':
        return true;
      case '}':
        return ends_here();
      case '#':
        skip_line();
        return true;
      case ':':
      case 'b':
      case 't':
      case 'T':
        return take_label();
      case 's':
        return take_substitution();
      case 'y':
        return take_translation();
      case 'a':
      case 'i':
      case 'c':
        // Its text is the rest of the line; what follows a line is not looked at.
        skip_line();
        return at_ >= text_.size();
      default:
        return false;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_plain_sed(std::string_view script) { return SedReader(script).is_plain(); }

std::vector<std::string> sed_scripts(const std::vector<std::string>& words) {
  std::vector<std::string> scripts;
  std::string operand;
  bool has_operand = false;
  bool are_options_over = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    if (are_options_over || word.size() < 2 || word[0] != '-') {
      if (!has_operand) operand = word;
      has_operand = true;
    } else if (word == "--") {
      are_options_over = true;
    } else if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      if (!std::string_view("--expression").starts_with(word.substr(0, equals))) continue;
      scripts.push_back(equals == std::string::npos ? next : word.substr(equals + 1));
      i += equals == std::string::npos ? 1 : 0;
    } else if (const std::size_t letter = word.find('e', 1); letter != std::string::npos) {
      const bool is_attached = letter + 1 < word.size();
      scripts.push_back(is_attached ? word.substr(letter + 1) : next);
      i += is_attached ? 0 : 1;
    }
  }
  if (scripts.empty() && has_operand) scripts.push_back(operand);
  return scripts;
}

}  // namespace filecall::client
