// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/credential_values.h"

#include <algorithm>
#include <array>

#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/word_begins.h"

namespace filecall::worker::kube {
namespace {

struct KnownBeginning {
  std::string_view text;
  std::size_t rest_min;
};
constexpr std::array kKnownBeginnings = std::to_array<KnownBeginning>(
    {{"AKIA", 16},     {"ASIA", 16},     {"ghp_", 20},        {"gho_", 20},     {"ghu_", 20},
     {"ghs_", 20},     {"ghr_", 20},     {"github_pat_", 20}, {"glpat-", 16},   {"AIza", 30},
     {"GOCSPX-", 16},  {"xoxa-", 10},    {"xoxb-", 10},       {"xoxp-", 10},    {"xoxr-", 10},
     {"xoxs-", 10},    {"sk-", 16},      {"rk-", 16},         {"sk_live_", 10}, {"sk_test_", 10},
     {"rk_live_", 10}, {"rk_test_", 10}, {"npm_", 30},        {"hf_", 20},      {"hvs.", 20}});

constexpr std::string_view kWebToken = "eyJ";
/// What announces a credential, in small letters: the rest of the line, a key, a scheme with a
/// token after a blank, a field with a long value.
constexpr std::string_view kAuthorization = "authorization:";
constexpr std::string_view kAccountKey = "accountkey=";
constexpr std::array kSchemes = std::to_array<std::string_view>({"bearer", "basic"});
constexpr std::array kFields = std::to_array<std::string_view>({"-data:", "token:"});

/// Whether anything that is looked for at the beginning of a word begins so: nothing does at most
/// places of a text.
constexpr auto kFirstChars = [] {
  std::array<bool, 256> first{};
  const auto add = [&](char c) { first[static_cast<unsigned char>(c)] = true; };
  const auto add_announcement = [&](std::string_view text) {
    add(text.front());
    if (text.front() >= 'a' && text.front() <= 'z') {
      add(static_cast<char>(text.front() - 'a' + 'A'));
    }
  };
  for (const KnownBeginning& beginning : kKnownBeginnings) add(beginning.text.front());
  add(kWebToken.front());
  add_announcement(kAuthorization);
  add_announcement(kAccountKey);
  for (const std::string_view scheme : kSchemes) add_announcement(scheme);
  for (const std::string_view field : kFields) add_announcement(field);
  return first;
}();

bool is_base64_char(char c) {
  return is_token_char(c) || c == '+' || c == '/' || c == '=' || c == '.' || c == '~';
}
bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

template <typename Is>
std::size_t run_end(std::string_view text, std::size_t begin, Is is) {
  while (begin < text.size() && is(text[begin])) ++begin;
  return begin;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

bool follows(std::string_view text, std::size_t at, std::string_view lower) {
  return equals_ignoring_case(text.substr(at, lower.size()), lower);
}

void find_private_keys(std::string_view text, std::vector<TextSpan>& spans) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  for (std::size_t at = 0; (at = text.find(kBegin, at)) != std::string_view::npos;) {
    const std::size_t label_end = text.find("-----", at + kBegin.size());
    const std::string_view label =
        text.substr(at, std::min(label_end, at + 100) - at);  // No label is longer.
    if (label.find("PRIVATE KEY") == std::string_view::npos) {
      at += kBegin.size();
      continue;
    }
    std::size_t end = text.find("-----END ", at);
    end = end == std::string_view::npos ? end : text.find("-----", end + 9);
    end = end == std::string_view::npos ? text.size() : end + 5;
    spans.push_back({at, end});
    at = end;
  }
}

/// Three parts in base64url with points between; the first is a JSON object.
std::size_t web_token_end(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with(kWebToken)) return at;
  const std::size_t first = run_end(text, at, is_token_char);
  if (first - at < 10 || first >= text.size() || text[first] != '.') return at;
  const std::size_t second = run_end(text, first + 1, is_token_char);
  if (second - first < 10 || second >= text.size() || text[second] != '.') return at;
  return run_end(text, second + 1, is_token_char);
}

std::size_t known_token_end(std::string_view text, std::size_t at) {
  for (const KnownBeginning& beginning : kKnownBeginnings) {
    if (!text.substr(at).starts_with(beginning.text)) continue;
    const std::size_t begin = at + beginning.text.size();
    const std::size_t end = run_end(text, begin, is_token_char);
    const std::string_view rest = text.substr(begin, end - begin);
    // Without a digit it is a name that only begins alike ("sk-learn-classifier").
    if (rest.size() >= beginning.rest_min && std::any_of(rest.begin(), rest.end(), is_digit_char)) {
      return end;
    }
  }
  return at;
}

/// What stands behind a word that announces a credential; `begin` when nothing does.
TextSpan announced(std::string_view text, std::size_t at) {
  if (follows(text, at, kAuthorization)) {
    const std::size_t begin =
        run_end(text, at + kAuthorization.size(), [](char c) { return c == ' ' || c == '\t'; });
    return {begin, std::min(text.find_first_of("\r\n\"'", begin), text.size())};
  }
  if (follows(text, at, kAccountKey)) {
    const std::size_t begin = at + kAccountKey.size();
    return {begin, run_end(text, begin, is_base64_char)};
  }
  for (const std::string_view word : kSchemes) {
    if (!follows(text, at, word) || at + word.size() >= text.size() ||
        text[at + word.size()] != ' ') {
      continue;
    }
    const std::size_t begin = run_end(text, at + word.size(), [](char c) { return c == ' '; });
    const std::size_t end = run_end(text, begin, is_base64_char);
    const std::string_view rest = text.substr(begin, end - begin);
    // "Basic authentication failed" is a sentence.
    if (rest.size() >= 8 && rest.find_first_of("0123456789=") != std::string_view::npos) {
      return {begin, end};
    }
  }
  for (const std::string_view word : kFields) {
    if (!follows(text, at, word)) continue;
    const std::size_t begin =
        run_end(text, at + word.size(), [](char c) { return c == ' ' || c == '"'; });
    const std::size_t end = run_end(text, begin, is_base64_char);
    const std::string_view rest = text.substr(begin, end - begin);
    if (rest.size() >= 16 && std::any_of(rest.begin(), rest.end(), is_digit_char)) {
      return {begin, end};
    }
  }
  return {at, at};
}

void find_url_passwords(std::string_view text, std::vector<TextSpan>& spans) {
  for (std::size_t at = 0; (at = text.find("://", at)) != std::string_view::npos;) {
    const std::size_t begin = at + 3;
    const std::size_t authority_end = run_end(
        text, begin, [](char c) { return !is_blank(c) && c != '/' && c != '"' && c != '\''; });
    const std::string_view authority = text.substr(begin, authority_end - begin);
    at = begin;
    const std::size_t user_end = authority.rfind('@');
    if (user_end == std::string_view::npos) continue;
    const std::size_t colon = authority.substr(0, user_end).find(':');
    const std::size_t password = colon == std::string_view::npos ? 0 : colon + 1;
    if (password < user_end) spans.push_back({begin + password, begin + user_end});
  }
}

/// Where the value that begins at `at` ends, and whether a quote was skipped before it.
TextSpan value_at(std::string_view text, std::size_t at) {
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
    const char quote = text[at];
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2u : 1u;
    return {at + 1, std::min(end, text.size())};
  }
  return {at, run_end(text, at, [](char c) { return !is_blank(c) && c != ';' && c != '&'; })};
}

}  // namespace

void find_credential_values(std::string_view text, std::vector<TextSpan>& spans) {
  find_private_keys(text, spans);
  find_url_passwords(text, spans);
  for_each_word_begin(text, [&](std::size_t at) {
    if (!kFirstChars[static_cast<unsigned char>(text[at])]) return;
    std::size_t end = web_token_end(text, at);
    if (end == at) end = known_token_end(text, at);
    if (end > at) spans.push_back({at, end});
    const TextSpan span = announced(text, at);
    if (span.end > span.begin) spans.push_back(span);
  });
}

void find_credential_assignments(std::string_view text, Assignments kind,
                                 std::vector<TextSpan>& spans) {
  if (text.find('=') == text.npos && text.find(':') == text.npos) return;
  const auto is_name = [](char c) { return is_token_char(c) || c == '.'; };
  for (std::size_t at = 0; at < text.size();) {
    if (!is_name(text[at])) {
      ++at;
      continue;
    }
    const std::size_t name_end = run_end(text, at, is_name);
    const std::string_view name = text.substr(at, name_end - at);
    at = name_end;
    std::size_t sign = name_end;
    if (sign < text.size() && (text[sign] == '"' || text[sign] == '\'')) ++sign;
    sign = run_end(text, sign, [](char c) { return c == ' ' || c == '\t'; });
    if (sign >= text.size() || (text[sign] != '=' && text[sign] != ':')) continue;
    const bool is_quoted = sign > name_end && text[name_end] != ' ' && text[name_end] != '\t';
    if (kind == Assignments::kSentences && !is_quoted && (sign > name_end || text[sign] != '=')) {
      continue;
    }
    if (!is_credential_name(name, NamePlace::kVariable)) continue;
    const std::size_t begin =
        run_end(text, sign + 1, [](char c) { return c == ' ' || c == '\t' || c == '='; });
    const TextSpan value = value_at(text, begin);
    if (value.end > value.begin) spans.push_back(value);
    at = std::max(at, value.end);
  }
}

}  // namespace filecall::worker::kube
