// SPDX-License-Identifier: MIT
#include "client/agent/plan/report_check.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/count_text.h"
#include "base/hash.h"
#include "base/utf8.h"

namespace filecall::client {
namespace {

constexpr std::size_t kClaimsMax = 200;
constexpr std::size_t kQuotedBytesMax = 200;
/// Claims that no word of the results is are searched for in their texts: so many bytes in all.
constexpr std::size_t kSearchedBytesMax = std::size_t{2} << 30;

bool is_number_digit(char c) { return c >= '0' && c <= '9'; }
bool is_claim_letter(char c) {
  // Other scripts have letters beyond ASCII: all of these count.
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}
bool is_claim_word(char c) { return is_claim_letter(c) || is_number_digit(c) || c == '_'; }
/// Between parts of a word, but not at its ends.
bool is_joint(char c) { return c == '-' || c == '.' || c == '/' || c == ':' || c == '@'; }

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  }
  return out;
}

/// Visits each word with its inner joints, from left to right, with its offset.
template <typename Visit>
void each_word(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_claim_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() &&
           (is_claim_word(text[end]) ||
            (is_joint(text[end]) && end + 1 < text.size() && is_claim_word(text[end + 1])))) {
      ++end;
    }
    visit(text.substr(at, end - at), at);
    at = end;
  }
}

bool is_plain_number(std::string_view word) {
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return is_number_digit(c) || c == '.' || c == ','; });
}

bool is_identifier(std::string_view word) {
  bool has_small = false;
  for (const char c : word) {
    if (is_number_digit(c) || c == '_' || is_joint(c)) return true;
    const bool is_capital = c >= 'A' && c <= 'Z';
    if (is_capital && has_small) return true;
    has_small = has_small || (is_claim_letter(c) && !is_capital);
  }
  return false;
}

/// "1." or "2)" at the beginning of a line: the number of an item.
bool is_item_number(std::string_view text, std::size_t at, std::size_t size) {
  const std::size_t end = at + size;
  if (end >= text.size() || (text[end] != '.' && text[end] != ')')) return false;
  for (std::size_t i = at; i > 0; --i) {
    if (text[i - 1] == '\n') return true;
    if (text[i - 1] != ' ' && text[i - 1] != '\t' && text[i - 1] != '>') return false;
  }
  return true;
}

/// Whether it stands there as a whole, and not as a part of a word.
bool stands_in(const std::string& text, const std::string& wanted) {
  for (std::size_t at = text.find(wanted); at != std::string::npos;
       at = text.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    const bool begins = at == 0 || !is_claim_word(text[at - 1]) || !is_claim_word(wanted[0]);
    const bool ends =
        end == text.size() || !is_claim_word(text[end]) || !is_claim_word(wanted.back());
    if (begins && ends) return true;
  }
  return false;
}

/// What the results say: their words, and the texts themselves.
class Support {
 public:
  explicit Support(const std::vector<std::string>& results) {
    for (const std::string& result : results) {
      texts_.push_back(lowered(result));
      each_word(texts_.back(), [this](std::string_view word, std::size_t) {
        words_.emplace(word);
        for (std::size_t at = 0; at < word.size();) {  // "shop/web:v2" says "web", too.
          std::size_t end = at;
          while (end < word.size() && !is_joint(word[end])) ++end;
          words_.emplace(word.substr(at, end - at));
          at = end + 1;
        }
      });
    }
  }

  /// nullopt: there was no time to look for it.
  std::optional<bool> has(std::string_view claim) {
    const std::string wanted = lowered(claim);
    if (words_.contains(wanted)) return true;
    for (const std::string& text : texts_) {
      if (searched_ > kSearchedBytesMax) return std::nullopt;
      searched_ += text.size();
      if (stands_in(text, wanted)) return true;
    }
    return false;
  }

 private:
  std::vector<std::string> texts_;
  std::unordered_set<std::string, StringHash, std::equal_to<>> words_;
  std::size_t searched_ = 0;
};

/// The quoted names of a line, where quotes enclose something short.
template <typename Visit>
void each_quoted(std::string_view report, const Visit& visit) {
  for (std::size_t at = 0; at < report.size(); ++at) {
    const char quote = report[at];
    if (quote != '"' && quote != '`' && quote != '\'') continue;
    // An apostrophe within a word is none.
    if (quote == '\'' && at > 0 && is_claim_word(report[at - 1])) continue;
    const std::size_t end = report.find_first_of(std::string{quote, '\n'}, at + 1);
    if (end == std::string_view::npos || report[end] == '\n') continue;
    const std::string_view inner = report.substr(at + 1, end - at - 1);
    if (!inner.empty() && inner.size() <= kQuotedBytesMax) visit(inner);
    at = end;
  }
}

void add_texts(const Json& value, std::vector<std::string>& out, int depth) {
  if (value.is_string()) out.push_back(value.get<std::string>());
  if (value.is_number()) out.push_back(dump_json(value));
  if (!value.is_structured() || depth == 0) return;
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      out.push_back(name);
      add_texts(inner, out, depth - 1);
    }
    return;
  }
  for (const Json& inner : value) add_texts(inner, out, depth - 1);
}

}  // namespace

std::vector<std::string> texts_of(const Json& value) {
  constexpr int kDepthMax = 512;
  std::vector<std::string> out;
  add_texts(value, out, kDepthMax);
  return out;
}

std::vector<std::string> unsupported_claims(std::string_view report,
                                            const std::vector<std::string>& results) {
  // Made when there is something to look for.
  std::optional<Support> support;
  std::vector<std::string> claims;
  std::unordered_set<std::string> seen;
  std::int64_t unchecked = 0;
  const auto check = [&](std::string_view claim) {
    if (claims.size() >= kClaimsMax || !seen.emplace(claim).second) return;
    if (!support) support.emplace(results);
    const auto is_supported = support->has(claim);
    if (!is_supported) ++unchecked;
    if (is_supported && !*is_supported) claims.push_back(sanitize_utf8(claim));
  };
  each_quoted(report, check);
  each_word(report, [&](std::string_view word, std::size_t at) {
    if (is_item_number(report, at, word.size()) && is_plain_number(word)) return;
    if (!is_identifier(word)) return;
    // A quoted name that is known says its words, too; else it is named once.
    const bool is_of_claim = std::any_of(claims.begin(), claims.end(), [&](const std::string& one) {
      return one.find(word) != std::string::npos;
    });
    if (!is_of_claim) check(word);
  });
  if (unchecked > 0) claims.push_back("(" + counted_noun(unchecked, "claim") + " not checked)");
  return claims;
}

}  // namespace filecall::client
