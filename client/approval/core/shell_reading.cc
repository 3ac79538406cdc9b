// SPDX-License-Identifier: MIT
#include "client/approval/core/shell_reading.h"

#include <cstdint>
#include <utility>

#include "client/approval/core/program_models.h"

namespace filecall::client {
namespace {

constexpr int kSubstitutionsMax = 12;
constexpr std::string_view kReserved =
    "if then else elif fi do done while until for case esac in { } ! time function coproc select "
    "[[ "
    "]] noglob nocorrect";

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  for (std::size_t i = 0; i < equals; ++i) {
    const char c = word[i];
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool is_other = (c >= '0' && c <= '9') || c == '[' || c == ']' || c == '+';
    if (!is_letter && !(i > 0 && is_other)) return false;
  }
  return true;
}

/// $'...' of bash: the byte that an escape stands for; moves `at` behind it.
char ansi_escape(std::string_view text, std::size_t& at) {
  const char c = text[at++];
  if (c == 'n') return '\n';
  if (c == 't') return '\t';
  const bool is_hex = c == 'x';
  if (!is_hex && (c < '0' || c > '7')) return c;
  int value = is_hex ? 0 : c - '0';
  for (int digits = 2; digits > 0 && at < text.size(); --digits, ++at) {
    const char d = text[at];
    if (d >= '0' && d <= (is_hex ? '9' : '7')) {
      value = value * (is_hex ? 16 : 8) + (d - '0');
    } else if (is_hex && (d | 0x20) >= 'a' && (d | 0x20) <= 'f') {
      value = value * 16 + ((d | 0x20) - 'a' + 10);
    } else {
      break;
    }
  }
  return static_cast<char>(value);
}

/// One text of a script, without what stands in its substitutions: these are texts of their own.
class ScriptReader {
 public:
  using Pending = std::vector<std::pair<std::string, int>>;

  ScriptReader(std::string_view text, int level, ShellReading& out, Pending& pending)
      : text_(text), level_(level), out_(out), pending_(pending) {}

  void read() {
    while (at_ < text_.size()) step(text_[at_]);
    end_command();
  }

 private:
  void step(char c) {
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
        ++at_;
        end_word();
        return;
      case '\n':
      case ';':
      case '|':
      case '(':
      case ')':
        ++at_;
        end_command();
        return;
      case '&':
        step_ampersand();
        return;
      case '<':
      case '>':
        step_redirection();
        return;
      case '#':
        if (is_in_word_) break;
        at_ = std::min(text_.find('\n', at_), text_.size());
        return;
      case '\\':
      case '\'':
      case '"':
        step_quote(c);
        return;
      case '`':
        step_backquote();
        return;
      case '$':
        step_dollar();
        return;
      case '*':
      case '?':
      case '[':
        if (words_.empty()) doubt("a pattern in a program's name");
        break;
      default:
        break;
    }
    add(c);
    ++at_;
  }

  void step_ampersand() {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '>') return;  // &>file
    end_command();
  }

  void step_redirection() {
    doubt("a redirection");
    const char c = text_[at_];
    if (at_ + 1 < text_.size() && text_[at_ + 1] == '(') {  // <(...): a process substitution.
      at_ += 2;
      take_group(')');
      return;
    }
    if (word_.find_first_not_of("0123456789") == std::string::npos) {
      word_.clear();  // The number of a descriptor.
      is_in_word_ = false;
    }
    end_word();
    const std::string_view here = text_.substr(at_);
    // A here-document.
    if (here.starts_with("<<") && !here.starts_with("<<<")) read_flat_from(at_);
    while (at_ < text_.size() && (text_[at_] == c || text_[at_] == '>' || text_[at_] == '&' ||
                                  text_[at_] == '|' || text_[at_] == '-')) {
      ++at_;
    }
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    is_target_ = true;
  }

  void step_quote(char c) {
    ++at_;
    is_in_word_ = true;
    if (c == '\\') {
      if (at_ < text_.size() && text_[at_] != '\n') word_ += text_[at_];
      if (at_ < text_.size()) ++at_;
      return;
    }
    if (c == '\'') {
      const std::size_t end = std::min(text_.find('\'', at_), text_.size());
      if (end == text_.size()) read_flat_from(at_);
      word_ += text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      return;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] != '\n') word_ += text_[at_ + 1];
        at_ += 2;
      } else if (text_[at_] == '`') {
        step_backquote();
      } else if (text_[at_] == '$') {
        step_dollar(true);
      } else {
        word_ += text_[at_++];
      }
    }
    if (at_ >= text_.size()) read_flat_from(begin);
    if (at_ < text_.size()) ++at_;
  }

  void step_backquote() {
    doubt("a substitution");
    is_in_word_ = true;
    std::string inner;
    ++at_;
    while (at_ < text_.size() && text_[at_] != '`') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      inner += text_[at_++];
    }
    if (at_ < text_.size()) ++at_;
    descend(std::move(inner));
  }

  void step_dollar(bool is_quoted = false) {
    ++at_;
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (next == '(') {
      doubt("a substitution");
      ++at_;
      take_group(')');
    } else if (next == '{') {
      const std::size_t begin = ++at_;
      take_group('}');
      doubt("a variable");
      if (text_.substr(begin, at_ - begin).starts_with("IFS") && !is_quoted) end_word();
    } else if (next == '\'' && !is_quoted) {
      ++at_;
      is_in_word_ = true;
      while (at_ < text_.size() && text_[at_] != '\'') {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
          word_ += ansi_escape(text_, ++at_);
        } else {
          word_ += text_[at_++];
        }
      }
      if (at_ < text_.size()) ++at_;
    } else if (next == '"' && !is_quoted) {
      return;  // $"...": read as "...".
    } else if (text_.substr(at_).starts_with("IFS") && !is_quoted) {
      doubt("a variable");
      at_ += 3;
      end_word();
    } else {
      doubt("a variable");
      add('$');
    }
  }

  /// The text up to the closing character, minding quotes and nested groups.
  void take_group(char close) {
    is_in_word_ = true;
    const char open = close == ')' ? '(' : '{';
    std::string inner;
    int depth = 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        inner += c;
        inner += text_[at_ + 1];
        at_ += 2;
        continue;
      }
      if (c == '\'' || c == '"') {
        const std::size_t end = std::min(text_.find(c, at_ + 1), text_.size() - 1);
        inner += text_.substr(at_, end - at_ + 1);
        at_ = end + 1;
        continue;
      }
      ++at_;
      if (c == open) ++depth;
      if (c == close && --depth == 0) break;
      inner += c;
    }
    descend(std::move(inner));
  }

  void descend(std::string inner) {
    if (!inner.empty()) pending_.emplace_back(std::move(inner), level_ + 1);
  }

  /// Where quotes are no guide any more: everything in it may be a command. Once is enough.
  void read_flat_from(std::size_t begin) {
    if (is_rest_read_) return;
    is_rest_read_ = true;
    doubt("a text that ends nowhere");
    pending_.emplace_back(std::string(text_.substr(begin)), kSubstitutionsMax);
  }

  void doubt(const char* what) { out_.doubts.insert(what); }

  void add(char c) {
    word_ += c;
    is_in_word_ = true;
  }

  void end_word() {
    if (!is_in_word_) return;
    is_in_word_ = false;
    std::string word = std::exchange(word_, {});
    if (std::exchange(is_target_, false)) return;
    if (words_.empty()) {
      if (has_word(kReserved, word)) return;
      if (is_assignment(word)) {
        doubt("an assignment");
        return;
      }
    }
    if (word.find('{') != std::string::npos && word.find(',') != std::string::npos) {
      doubt("a brace expansion");
    }
    words_.push_back(std::move(word));
  }

  void end_command() {
    end_word();
    is_target_ = false;
    if (!words_.empty()) out_.commands.push_back(std::exchange(words_, {}));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int level_ = 0;
  ShellReading& out_;
  Pending& pending_;
  std::vector<std::string> words_;
  std::string word_;
  bool is_in_word_ = false;
  bool is_target_ = false;
  bool is_rest_read_ = false;
};

/// Beyond the levels: whatever is no part of a word separates.
void read_flat(std::string_view text, ShellReading& out) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (const char c : text) {
    if (std::string_view(" \t").find(c) != std::string_view::npos) {
      end_word();
    } else if (std::string_view("\n\r;&|()`{}$<>'\"").find(c) != std::string_view::npos) {
      end_word();
      if (!words.empty()) out.commands.push_back(std::exchange(words, {}));
    } else if (c != '\\') {
      word += c;
    }
  }
  end_word();
  if (!words.empty()) out.commands.push_back(std::move(words));
}

}  // namespace

ShellReading read_shell(std::string_view script) {
  ShellReading out;
  ScriptReader::Pending pending;
  pending.emplace_back(std::string(script), 0);
  while (!pending.empty()) {
    const auto [text, level] = std::move(pending.back());
    pending.pop_back();
    if (level < kSubstitutionsMax) {
      ScriptReader(text, level, out, pending).read();
    } else {
      out.doubts.insert("deep nesting");
      read_flat(text, out);
    }
  }
  return out;
}

}  // namespace filecall::client
