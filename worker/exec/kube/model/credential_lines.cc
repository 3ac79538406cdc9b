// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <utility>

#include "base/take_until.h"
#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/credential_texts.h"
#include "worker/exec/kube/model/text_runs.h"
#include "worker/exec/kube/model/value_looks.h"
#include "worker/exec/kube/model/word_begins.h"

namespace filecall::worker::kube {
namespace {

/// One line of YAML, as far as it is looked at: "  - name: value".
struct YamlLine {
  std::size_t indent = 0;  ///< Of the name, behind dashes.
  std::size_t dash = 0;    ///< Of the first dash, else of the name.
  std::string_view name;   ///< Empty: an item alone.
  std::string_view value;  ///< Without quotes; a part of the text.
};

std::string_view trimmed_blanks(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

std::string_view without_quotes(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                         value.back() == value.front();
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

YamlLine read_yaml_line(std::string_view line) {
  YamlLine out;
  std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  out.dash = at;
  while (line.substr(at).starts_with("- "))
    at = std::min(line.find_first_not_of(' ', at + 1), line.size());
  out.indent = at;
  const std::string_view rest = line.substr(at);
  const std::size_t colon = rest.find(':');
  const std::string_view name = rest.substr(0, colon == rest.npos ? 0 : colon);
  const bool is_name = colon != rest.npos && (colon + 1 == rest.size() || rest[colon + 1] <= ' ') &&
                       std::all_of(name.begin(), name.end(), [](char c) {
                         return is_token_char(c) || c == '.' || c == '"' || c == '\'' || c == '/';
                       });
  out.name = is_name ? without_quotes(name) : std::string_view();
  out.value = without_quotes(trimmed_blanks(is_name ? rest.substr(colon + 1) : rest));
  return out;
}

bool is_block_mark(std::string_view value) {
  return !value.empty() && (value.front() == '|' || value.front() == '>') && value.size() <= 3;
}

class YamlGroups {
 public:
  YamlGroups(std::string_view text, std::vector<TextSpan>& spans, const RedactionRules& rules)
      : text_(text), spans_(spans), rules_(rules) {}

  void find() {
    for (std::string_view rest = text_; !rest.empty();) {
      const std::string_view line = take_until(&rest, '\n');
      if (line.starts_with("---")) is_secret_ = false;
      const std::string_view bare = trimmed_blanks(line);
      if (bare.empty() || bare.front() == '#') continue;
      look(line);
    }
  }

 private:
  void look(std::string_view whole) {
    const YamlLine line = read_yaml_line(whole);
    if (block_ && line.dash > block_indent_) {
      if (!is_reference_value(trimmed_blanks(whole))) hide(trimmed_blanks(whole));
      return;
    }
    block_ = false;
    if (line.name == "kind" && line.indent == 0) is_secret_ = line.value == "Secret";
    // An item of a list may stand as far left as the name of the list.
    const bool is_item = line.dash < line.indent || line.name.empty();
    if (!group_.empty() &&
        (line.dash < group_indent_ || (line.dash == group_indent_ && !is_item))) {
      group_ = {};
    }
    if (!group_.empty()) return inside(line);
    if (line.name.empty() || is_user(line) || pair(line)) return;
    if (line.value.empty() && rules_.is_user_map(line.name)) {
      users_indent_ = line.dash;
      user_indent_ = kNowhere;
    }
    const bool is_data = is_secret_ && (line.name == "data" || line.name == "stringData");
    if (line.value.empty() && (is_data || rules_.is_group(line.name))) {
      group_ = is_data ? std::string_view("password") : line.name;
      group_indent_ = line.dash;
    } else if (is_block_mark(line.value) && rules_.is_name(line.name, NamePlace::kVariable)) {
      block_ = true;
      block_indent_ = line.indent;
    }
  }

  /// "- name: DB_PASSWORD" and "value: x" beside it, in either order: a variable of a container.
  /// Whether the line was the value.
  bool pair(const YamlLine& line) {
    const bool begins_item = line.dash < line.indent;
    if (begins_item || line.indent != pair_indent_) pair_ = pair_value_ = {};
    pair_indent_ = line.indent;
    if (line.name == "name") pair_ = line.value;
    if (line.name == "value") pair_value_ = line.value;
    if (line.name != "name" && line.name != "value") return false;
    if (pair_.empty() || pair_value_.empty()) return line.name == "value";
    if (is_block_mark(pair_value_)) {
      block_ = line.name == "value" && rules_.is_name(pair_, NamePlace::kVariable);
      block_indent_ = line.indent;
    } else if (!rules_.word(pair_, NamePlace::kVariable, pair_value_).empty()) {
      hide(pair_value_);
    }
    return line.name == "value";
  }

  /// "alice: X" right below "users:". Whether it was one with a password.
  bool is_user(const YamlLine& line) {
    if (users_indent_ == kNowhere) return false;
    if (line.dash <= users_indent_ || line.dash < line.indent) {
      users_indent_ = kNowhere;
      return false;
    }
    if (user_indent_ == kNowhere) user_indent_ = line.indent;
    if (line.indent != user_indent_ || !is_user_password(line.name, line.value)) return false;
    hide(line.value);
    return true;
  }

  void inside(const YamlLine& line) {
    if (!line.name.empty() && is_description(line.name)) return;
    if (is_block_mark(line.value)) {
      block_ = true;
      block_indent_ = line.indent;
      return;
    }
    if (line.value.empty() || line.value.front() == '{' || line.value.front() == '[') return;
    if (!line.name.empty() && line.name.find("existing") != line.name.npos) return;
    if (rules_.is_below(group_, line.value)) hide(line.value);
  }

  void hide(std::string_view part) {
    const auto begin = static_cast<std::size_t>(part.data() - text_.data());
    spans_.push_back({begin, begin + part.size()});
  }

  std::string_view text_;
  std::vector<TextSpan>& spans_;
  const RedactionRules& rules_;
  std::string_view group_;
  std::size_t group_indent_ = 0;
  std::size_t block_indent_ = 0;
  std::string_view pair_, pair_value_;  ///< Of the item of a list that is looked at.
  std::size_t pair_indent_ = 0;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  std::size_t users_indent_ = kNowhere;  ///< Of "users:".
  std::size_t user_indent_ = kNowhere;   ///< Of what stands right below it.
  bool block_ = false;
  bool is_secret_ = false;
};

/// Ports of PostgreSQL and of pgbouncer.
constexpr std::array kPostgresPorts =
    std::to_array<std::string_view>({"5432", "5433", "6432", "*"});

/// host:port:database:user:password. `is_alone`: the text is that line, and may be another list.
void find_pgpass(std::string_view text, std::string_view line, bool is_alone,
                 std::vector<TextSpan>& spans) {
  std::array<std::size_t, 4> colons{};
  std::size_t at = 0;
  for (std::size_t& colon : colons) {
    colon = line.find(':', at);
    if (colon == line.npos) return;
    at = colon + 1;
  }
  const std::string_view port = line.substr(colons[0] + 1, colons[1] - colons[0] - 1);
  const bool is_port = port == "*" || (!port.empty() && port.size() <= 5 &&
                                       std::all_of(port.begin(), port.end(), is_digit_char));
  const std::string_view password = line.substr(at);
  if (!is_port || password.empty() || password.find_first_of(" /:") != password.npos) return;
  if (is_alone) {
    const bool is_postgres = std::ranges::find(kPostgresPorts, port) != kPostgresPorts.end();
    const bool has_all = line.front() != ':' && line.find("::") == line.npos;
    if (!has_all || line.find_first_of(" /") != line.npos) return;
    if (!is_postgres && !looks_random(password)) return;
  }
  const auto begin = static_cast<std::size_t>(password.data() - text.data());
  spans.push_back({begin, begin + password.size()});
}

/// "name" "password"
void find_quoted_pair(std::string_view text, std::string_view line, std::vector<TextSpan>& spans) {
  if (!line.starts_with('"') || !line.ends_with('"')) return;
  const std::size_t end = line.find('"', 1);
  const std::size_t second = line.find('"', end + 1);
  if (end == line.npos || second == line.npos || second + 1 >= line.size()) return;
  const std::string_view between = line.substr(end + 1, second - end - 1);
  if (between.find_first_not_of(' ') != between.npos) return;
  const auto begin = static_cast<std::size_t>(line.data() - text.data()) + second + 1;
  const std::size_t last = static_cast<std::size_t>(line.data() - text.data()) + line.size() - 1;
  if (last > begin && looks_random(text.substr(begin, last - begin)))
    spans.push_back({begin, last});
}

/// "rocommunity X default", as the agent of SNMP has it, and "com2sec NAME SOURCE X".
void find_snmp_community(std::string_view text, std::string_view line,
                         std::vector<TextSpan>& spans) {
  constexpr std::array kWords =
      std::to_array<std::pair<std::string_view, int>>({{"rocommunity", 1},
                                                       {"rwcommunity", 1},
                                                       {"rocommunity6", 1},
                                                       {"rwcommunity6", 1},
                                                       {"trapcommunity", 1},
                                                       {"com2sec", 3},
                                                       {"com2sec6", 3}});
  const auto next_word = [&line] {
    line = trimmed_blanks(line);
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
  };
  const std::string_view first = next_word();
  const auto* const found =
      std::ranges::find(kWords, first, [](const auto& row) { return row.first; });
  if (found == kWords.end()) return;
  std::string_view community;
  for (int i = 0; i < found->second; ++i) community = without_quotes(next_word());
  if (community.empty() || community == "public" || is_reference_value(community)) return;
  const auto begin = static_cast<std::size_t>(community.data() - text.data());
  spans.push_back({begin, begin + community.size()});
}

/// "user NAME on >PASSWORD ~keys", as Redis writes its users, and the password of its sentinel.
void find_redis_user(std::string_view text, std::string_view line, std::vector<TextSpan>& spans) {
  if (line.starts_with("sentinel auth-pass ")) {
    const std::string_view password = without_quotes(line.substr(line.rfind(' ') + 1));
    const auto begin = static_cast<std::size_t>(password.data() - text.data());
    if (!is_reference_value(password)) spans.push_back({begin, begin + password.size()});
  }
  if (!line.starts_with("user ") && line.find("ACL SETUSER ") == line.npos) return;
  for (std::size_t at = 0; (at = line.find(" >", at)) != line.npos;) {
    at += 2;
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const auto begin = static_cast<std::size_t>(line.data() - text.data()) + at;
    if (end > at) spans.push_back({begin, begin + end - at});
  }
}

/// <name>NAME</name> <value>secret</value>, as Hadoop, servlets and property lists have it.
void find_element_pairs(std::string_view text, std::vector<TextSpan>& spans,
                        const RedactionRules& rules) {
  constexpr std::array kElements = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"<name>", "<value>"}, {"<key>", "<string>"}, {"<param-name>", "<param-value>"}});
  for (const auto& [name_tag, value_tag] : kElements) {
    for (std::size_t at = 0; (at = text.find(name_tag, at)) != text.npos;) {
      at += name_tag.size();
      const std::size_t name_end = text.find('<', at);
      const std::size_t tag_end = name_end == text.npos ? text.npos : text.find('>', name_end);
      if (tag_end == text.npos) return;
      const std::string_view name = trimmed_blanks(text.substr(at, name_end - at));
      std::size_t begin = text.find_first_not_of(" \t\r\n", tag_end + 1);
      at = name_end;
      if (begin == text.npos) return;
      if (!text.substr(begin).starts_with(value_tag)) continue;
      begin += value_tag.size();
      const std::size_t end = std::min(text.find('<', begin), text.size());
      const std::string_view value = trimmed_blanks(text.substr(begin, end - begin));
      if (rules.word(name, NamePlace::kVariable, judged_part(value)).empty()) continue;
      const auto value_at = static_cast<std::size_t>(value.data() - text.data());
      spans.push_back({value_at, value_at + value.size()});
    }
  }
}

/// variable "db_password" { default = "secret" }, as Terraform has it.
void find_terraform_defaults(std::string_view text, std::vector<TextSpan>& spans,
                             const RedactionRules& rules) {
  constexpr std::string_view kVariable = "variable \"";
  for (std::size_t at = 0; (at = text.find(kVariable, at)) != text.npos;) {
    at += kVariable.size();
    const std::size_t name_end = text.find('"', at);
    const std::size_t end = std::min(text.find('}', at), text.size());
    if (name_end >= end) return;
    const std::string_view name = text.substr(at, name_end - at);
    const std::size_t given = text.substr(0, end).find("default", name_end);
    const std::size_t begin = given == text.npos ? given : text.substr(0, end).find('"', given);
    at = end;
    if (begin == text.npos) continue;
    const std::size_t value_end = text.substr(0, end).find('"', begin + 1);
    if (value_end == text.npos) continue;
    const std::string_view value = text.substr(begin + 1, value_end - begin - 1);
    if (!rules.word(name, NamePlace::kVariable, judged_part(value)).empty())
      spans.push_back({begin + 1, value_end});
  }
}

}  // namespace

void find_identified(std::string_view text, std::vector<TextSpan>& spans) {
  for (const std::string_view word : {"IDENTIFIED BY ", "identified by "}) {
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos;) {
      at += word.size();
      if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) continue;
      const std::size_t end = std::min(text.find(text[at], at + 1), text.size());
      if (end > at + 1) spans.push_back({at + 1, end});
    }
  }
}

void find_credential_lines(std::string_view text, std::vector<TextSpan>& spans,
                           const RedactionRules& rules) {
  if (text.find('\'') != text.npos || text.find('"') != text.npos) find_identified(text, spans);
  if (text.find('<') != text.npos) find_element_pairs(text, spans, rules);
  find_terraform_defaults(text, spans, rules);
  if (text.find('\n') == text.npos) return find_pgpass(text, trimmed_blanks(text), true, spans);
  YamlGroups(text, spans, rules).find();
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = trimmed_blanks(take_until(&rest, '\n'));
    find_pgpass(text, line, false, spans);
    find_snmp_community(text, line, spans);
    find_redis_user(text, line, spans);
    find_quoted_pair(text, line, spans);
  }
}

}  // namespace filecall::worker::kube
