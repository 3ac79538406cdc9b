// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/credential_assignments.h"

#include <algorithm>
#include <array>
#include <functional>

#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/text_runs.h"
#include "worker/exec/kube/model/value_looks.h"
#include "worker/exec/kube/model/word_begins.h"

namespace filecall::worker::kube {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
bool is_name_char(char c) { return is_token_char(c) || c == '.'; }

template <typename Is>
std::size_t skip(std::string_view text, std::size_t at, Is is) {
  while (at < text.size() && is(text[at])) ++at;
  return at;
}

/// How a name and its value are written.
enum class Form {
  kNone,
  kEquals,     ///< name=value, name = value, name => value
  kColon,      ///< name: value
  kArguments,  ///< ('NAME', 'value')
  kElement,    ///< <name>value<
  kAttribute,  ///< "name" value="value"
  kDirective,  ///< name value
};

struct Found {
  Form form = Form::kNone;
  std::size_t value = 0;   ///< Where the value begins.
  bool is_quoted = false;  ///< The name stands in quotes.
  bool is_spaced = false;  ///< There are blanks between name and sign.
};

/// Whether what begins there is the first argument of a call.
bool is_first_argument(std::string_view text, std::size_t at) {
  while (at > 0 && is_space(text[at - 1])) --at;
  return at > 0 && text[at - 1] == '(';
}

/// What stands behind a name that ends at `at`.
Found form_at(std::string_view text, std::size_t begin, std::size_t at) {
  Found found;
  std::size_t end = at;
  // What stands in quotes begins with one; the end of a text in quotes may look so.
  const bool begins_quoted = begin > 0 && is_quote(text[begin - 1]);
  while (end < text.size() && (is_quote(text[end]) || text[end] == ']' || text[end] == '\\')) {
    found.is_quoted = begins_quoted;
    ++end;
  }
  const std::size_t sign = skip(text, end, is_space);
  found.is_spaced = sign > end;
  if (sign >= text.size()) return found;
  const char c = text[sign];
  if (c == ':' && begin > 0 && text[begin - 1] == ':') return found;  // "arn:aws:secret:x"
  if (c == '=' || c == ':') {
    found.form = c == '=' ? Form::kEquals : Form::kColon;
    found.value = skip(text, sign + 1,
                       [](char d) { return is_space(d) || d == '=' || d == '>' || d == ':'; });
  } else if (c == ',' && found.is_quoted &&
             (text[begin] == '-' || is_first_argument(text, begin - 1))) {
    const std::size_t value = skip(text, sign + 1, is_space);
    if (value < text.size() && is_quote(text[value])) {
      found.form = Form::kArguments;
      found.value = value;
    }
  } else if (c == '>' && !found.is_spaced &&
             ((begin > 0 && text[begin - 1] == '<') || found.is_quoted)) {
    found.form = Form::kElement;
    found.value = sign + 1;
  } else if (found.is_spaced && found.is_quoted && text.substr(sign).starts_with("value=")) {
    found.form = Form::kAttribute;
    found.value = sign + 6;
  } else if (found.is_spaced && text[sign] != '\n') {
    found.form = Form::kDirective;
    found.value = sign;
  }
  return found;
}

/// Where values without quotes end: before a blank or a sign, and without brackets that close
/// behind them. From left to right.
class UnquotedEnds {
 public:
  UnquotedEnds(std::string_view text, std::string_view stops)
      : text_(text), runs_(text, [stops](char c) {
          return static_cast<unsigned char>(c) > ' ' && stops.find(c) == stops.npos;
        }) {}

  std::size_t end(std::size_t at) {
    const std::size_t run_end = runs_.end(at);
    if (run_end != run_end_) {
      run_end_ = end_ = run_end;
      while (end_ > at && std::string_view(",)}]").find(text_[end_ - 1]) != text_.npos) --end_;
    }
    return end_;
  }

 private:
  std::string_view text_;
  TextRuns<std::function<bool(char)>> runs_;
  std::size_t run_end_ = std::string_view::npos, end_ = 0;
};

/// Where the value that begins at `at` ends, and whether a quote was skipped before it.
TextSpan value_at(std::string_view text, std::size_t at, UnquotedEnds& unquoted) {
  if (at < text.size() && is_quote(text[at])) {
    const char quote = text[at];
    const std::size_t begin = skip(text, at, [quote](char c) { return c == quote; });
    if (begin - at == 2) return {begin, begin};  // Nothing between them.
    std::size_t end = begin;
    while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2u : 1u;
    return {begin, std::min(end, text.size())};
  }
  return {at, std::max(at, unquoted.end(at))};
}

bool is_line_begin(std::string_view text, std::size_t at) {
  while (at > 0 && (is_space(text[at - 1]) || is_quote(text[at - 1]) || text[at - 1] == '-')) --at;
  return at == 0 || text[at - 1] == '\n';
}

/// Whether the value is only the first word of a sentence.
bool is_of_sentence(std::string_view text, std::size_t end) {
  const std::size_t next = skip(text, end, is_space);
  if (next == end || next >= text.size() || text[next] == '\n') return false;
  if (std::string_view("-#|&;)}]\\\"'").find(text[next]) != std::string_view::npos) return false;
  const std::size_t next_end =
      skip(text, next, [](char c) { return static_cast<unsigned char>(c) > ' '; });
  return text.substr(next, next_end - next).find_first_of("=:") == std::string_view::npos;
}

class Assigned {
 public:
  Assigned(std::string_view text, Assignments kind, std::vector<TextSpan>& spans,
           const RedactionRules& rules)
      : text_(text),
        kind_(kind),
        spans_(spans),
        rules_(rules),
        unquoted_(text, kind == Assignments::kSettings ? ";&" : ";&,") {}

  void find() {
    for (std::size_t at = 0; at < text_.size();) {
      if (!is_name_char(text_[at])) {
        ++at;
        continue;
      }
      const std::size_t end = skip(text_, at, is_name_char);
      const std::string_view name = text_.substr(at, end - at);
      const std::size_t begin = at;
      at = end;
      if (!rules_.may_be_name(name)) continue;
      const Found found = form_at(text_, begin, end);
      if (found.form == Form::kNone || found.value >= text_.size()) continue;
      at = std::max(at, look(name, begin, found));
    }
  }

 private:
  /// Where to go on.
  std::size_t look(std::string_view name, std::size_t begin, const Found& found) {
    const bool is_settings = kind_ == Assignments::kSettings;
    if (found.form == Form::kElement) return element(name, found.value);
    const TextSpan span = value_at(text_, found.value, unquoted_);
    std::string_view value = judged_part(text_.substr(span.begin, span.end - span.begin));
    const bool is_quoted_value = span.begin > found.value;
    // The bracket that closes a call belongs to it.
    if (span.end < text_.size() && text_[span.end] == ')' && value.find('(') != value.npos) {
      value = judged_part(text_.substr(span.begin, span.end + 1 - span.begin));
    }
    if (value.empty() || value.front() == '{' || value.front() == '[' || value.front() == '(') {
      return begin + name.size();
    }
    if (found.form == Form::kDirective) return directive(name, found, span, is_quoted_value);
    const std::string_view word = rules_.word(name, NamePlace::kVariable, value);
    if (word.empty()) return begin + name.size();
    const bool is_exact = found.is_quoted || (found.form == Form::kEquals && !found.is_spaced) ||
                          found.form == Form::kArguments || found.form == Form::kAttribute;
    TextSpan hidden = span;
    if (!is_exact || !is_settings) {
      const bool is_sure = is_exact || (is_settings && !is_of_sentence(text_, span.end));
      if (!is_quoted_value && !is_sure && !looks_random(value)) return begin + name.size();
      if (!is_settings && !is_exact && !looks_random(value)) return begin + name.size();
    }
    // A password in a file may have blanks in it.
    if (is_settings && !is_quoted_value && !found.is_quoted && word.starts_with("pass") &&
        is_line_begin(text_, begin) && text_.find('\n') != text_.npos) {
      hidden.end = std::max(hidden.end, line_end(span.end));
    }
    spans_.push_back(hidden);
    return hidden.end;
  }

  /// The end of what stands on the line before a comment.
  std::size_t line_end(std::size_t at) const {
    std::size_t end = std::min(text_.find('\n', at), text_.size());
    const std::size_t comment = text_.substr(0, end).find(" #", at);
    end = std::min(end, comment);
    while (end > at && (is_space(text_[end - 1]) || text_[end - 1] == '\r' ||
                        text_[end - 1] == ',' || text_[end - 1] == ';')) {
      --end;
    }
    return end;
  }

  std::size_t element(std::string_view name, std::size_t at) {
    const std::size_t close = before_tag_.end(at);
    std::size_t begin = at;
    std::size_t end = close;
    while (begin < end && static_cast<unsigned char>(text_[begin]) <= ' ') ++begin;
    // Not further: many names may stand before one tag.
    while (end > begin && end + kJudgedBytes > close &&
           static_cast<unsigned char>(text_[end - 1]) <= ' ') {
      --end;
    }
    const std::string_view value = judged_part(text_.substr(begin, end - begin));
    if (!value.empty() && !rules_.word(name, NamePlace::kVariable, value).empty()) {
      spans_.push_back({begin, end});
    }
    return at;
  }

  /// "requirepass X": the value ends the statement, and looks like one.
  std::size_t directive(std::string_view name, const Found& found, TextSpan span,
                        bool is_quoted_value) {
    const std::size_t on = found.value;
    if (kind_ != Assignments::kSettings || found.is_quoted) return on;
    const std::string_view value = judged_part(text_.substr(span.begin, span.end - span.begin));
    const std::size_t after = skip(text_, span.end + (is_quoted_value ? 1 : 0), is_space);
    const bool is_last = after >= text_.size() || text_[after] == '\n' || text_[after] == ';' ||
                         text_[after] == '\r';
    const std::size_t last = value.find_last_not_of('=');
    const bool is_pair = value.substr(0, last == value.npos ? 0 : last + 1).find('=') != value.npos;
    if (!looks_random(value) || is_pair || (!is_last && !is_quoted_value)) return on;
    if (rules_.word(name, NamePlace::kVariable, value).empty()) return on;
    spans_.push_back(span);
    return span.end;
  }

  std::string_view text_;
  Assignments kind_;
  std::vector<TextSpan>& spans_;
  const RedactionRules& rules_;
  UnquotedEnds unquoted_;
  TextRuns<bool (*)(char)> before_tag_{text_, [](char c) { return c != '<'; }};
};

}  // namespace

void find_credential_assignments(std::string_view text, Assignments kind,
                                 std::vector<TextSpan>& spans, const RedactionRules& rules) {
  Assigned(text, kind, spans, rules).find();
}

}  // namespace filecall::worker::kube
