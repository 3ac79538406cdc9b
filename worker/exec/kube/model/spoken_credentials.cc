// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/credential_words.h"
#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/credential_texts.h"
#include "worker/exec/kube/model/value_looks.h"

namespace filecall::worker::kube {
namespace {

constexpr int kWordsMax = 9;

bool is_edge(char c) {
  return std::string_view("\"'`,.:;()[]{}<>").find(c) != std::string_view::npos;
}

/// A word without the quotes and stops around it.
std::string_view core(std::string_view word) {
  while (!word.empty() && is_edge(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_edge(word.back())) word.remove_suffix(1);
  return word;
}

/// A name of which one speaks as of a credential: its last word is one, and it is no Secret.
bool is_spoken_name(std::string_view name, const RedactionRules& rules) {
  if (name.empty() || name.find('=') != name.npos || name.find('/') != name.npos) return false;
  if (!rules.may_be_name(name)) return false;
  std::string_view why;
  if (!is_credential_by_words(name, NamePlace::kAnnotation, &why)) return false;
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return small.ends_with(why);
}

/// "API key", "unseal keys".
bool is_spoken_key(std::string_view before, std::string_view word) {
  const auto is = [](std::string_view a, std::string_view small) {
    return std::equal(a.begin(), a.end(), small.begin(), small.end(), [](char c, char d) {
      return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == d;
    });
  };
  if (!is(word, "key") && !is(word, "keys")) return false;
  const auto is_before = [&](std::string_view owner) { return is(before, owner); };
  return std::any_of(credential_words::kKeyOwners.begin(), credential_words::kKeyOwners.end(),
                     is_before) ||
         is_before("unseal") || is_before("recovery") || is_before("license");
}

bool is_spoken_value(std::string_view word) {
  const std::string_view whole = word;
  while (word.ends_with('=')) word.remove_suffix(1);
  if (!looks_random(word) || word.find_first_of("0123456789!*~^+$#%&") == word.npos) return false;
  return word.find_first_of("=:@") == word.npos &&
         (word.find('/') == word.npos || looks_generated(whole));
}

}  // namespace

void find_spoken_credentials(std::string_view text, std::vector<TextSpan>& spans,
                             const RedactionRules& rules) {
  find_identified(text, spans);
  int left = 0;
  std::string_view before;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n') left = 0;
    if (static_cast<unsigned char>(text[at]) <= ' ') {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ') ++end;
    const std::string_view word = core(text.substr(at, end - at));
    at = end;
    if (left > 0 && is_spoken_value(word)) {
      const auto begin = static_cast<std::size_t>(word.data() - text.data());
      spans.push_back({begin, begin + word.size()});
      left = 0;
    } else if (is_spoken_name(word, rules) || is_spoken_key(before, word)) {
      left = kWordsMax;
    } else if (word == "AUTH") {
      left = std::max(left, 2);  // Of Redis; of mail servers with a method between.
    } else if (left > 0) {
      --left;
    }
    before = word;
  }
}

}  // namespace filecall::worker::kube
