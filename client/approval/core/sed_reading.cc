// SPDX-License-Identifier: MIT
#include "client/approval/core/sed_reading.h"

#include <cstddef>

#include "client/approval/core/program_models.h"

namespace filecall::client {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_label(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

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
  /// Versions of sed differ on where a label ends: one of plain characters, and then a blank or the
  /// end, is the same for all. What stands behind the blank is the next command.
  bool take_label() {
    skip_spaces();
    while (is_label(now())) ++at_;
    const bool is_over = at_ >= text_.size() || now() == ' ' || now() == '\t' || now() == ';' ||
                         now() == '\n' || now() == '}';
    return is_over && ends_here();
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

SedArguments read_sed_arguments(const std::vector<std::string>& words) {
  constexpr std::string_view kFlags = "nEruszib";
  constexpr std::string_view kLongFlags =
      "--quiet --silent --debug --sandbox --posix --regexp-extended --separate --unbuffered "
      "--null-data --zero-terminated --in-place --follow-symlinks --binary --help --version";
  SedArguments out;
  std::string operand;
  bool has_operand = false;
  bool are_options_over = false;
  std::size_t at = 1;
  const auto value = [&](std::string_view attached, bool is_attached) {
    if (is_attached) return std::string(attached);
    ++at;
    return at < words.size() ? words[at] : std::string();
  };
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (are_options_over || word.size() < 2 || word[0] != '-') {
      if (!has_operand) operand = word;
      has_operand = true;
    } else if (word == "--") {
      are_options_over = true;
    } else if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      const std::string_view attached = equals == std::string::npos
                                            ? std::string_view()
                                            : std::string_view(word).substr(equals + 1);
      const auto is = [&](std::string_view option) { return option.starts_with(name); };
      const bool takes_value = is("--expression") || is("--file") || is("--line-length");
      if (!takes_value) {
        out.is_clear = out.is_clear && (has_word(kLongFlags, name) || name == "--in-place");
        continue;
      }
      const std::string given = value(attached, equals != std::string::npos);
      if (is("--expression")) out.scripts.push_back(given);
    } else {
      for (std::size_t letter = 1; letter < word.size(); ++letter) {
        const char c = word[letter];
        if (c == 'i') break;  // What follows it is the ending of a copy.
        if (kFlags.find(c) != std::string_view::npos) continue;
        if (c != 'e' && c != 'f' && c != 'l') out.is_clear = false;
        if (c != 'e' && c != 'f' && c != 'l') continue;
        const std::string given =
            value(std::string_view(word).substr(letter + 1), letter + 1 < word.size());
        if (c == 'e') out.scripts.push_back(given);
        break;
      }
    }
  }
  // -f FILE is a script, too; that nobody can read it here is said elsewhere.
  if (out.scripts.empty() && has_operand) out.scripts.push_back(operand);
  return out;
}

}  // namespace filecall::client
