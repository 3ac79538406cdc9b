// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/credential_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>

namespace filecall::worker::kube {
namespace {

/// Words in small letters. Every word of every name of every object is looked up: most are told
/// apart by their length and first letter alone.
template <std::size_t N>
class WordSet {
 public:
  constexpr explicit WordSet(const std::string_view (&words)[N]) {
    for (std::size_t i = 0; i < N; ++i) {
      words_[i] = words[i];
      firsts_[words[i].size()] |= letter_bit(words[i].front());
    }
  }
  constexpr bool contains(std::string_view word) const {
    return word.size() < firsts_.size() && (firsts_[word.size()] & letter_bit(word.front())) != 0 &&
           std::find(words_.begin(), words_.end(), word) != words_.end();
  }
  constexpr auto begin() const { return words_.begin(); }
  constexpr auto end() const { return words_.end(); }

 private:
  static constexpr std::uint32_t letter_bit(char c) {
    return c >= 'a' && c <= 'z' ? std::uint32_t{1} << (c - 'a') : 0;
  }
  std::array<std::string_view, N> words_{};
  std::array<std::uint32_t, 20> firsts_{};  ///< By length: no word is longer.
};

constexpr WordSet kCredentialWords({"password", "passwords", "passwd", "pwd", "passphrase", "token",
                                    "tokens", "credential", "credentials", "creds", "apikey",
                                    "apikeys", "accesskey", "privatekey", "secretkey",
                                    "connectionstring", "connstr", "authorization", "cookie"});
constexpr WordSet kSecretWords({"secret", "secrets"});
constexpr WordSet kVariableWords({"auth", "dsn", "pass", "jwt", "bearer"});
/// What makes "key" a credential when it stands before it.
constexpr WordSet kKeyWords({"api", "access", "private", "account", "storage", "encryption",
                             "signing", "master", "session", "auth"});
/// And "string".
constexpr WordSet kConnectionWords({"connection", "conn"});
/// Found inside a word too: nobody writes "mysqlpassword" for anything else.
constexpr std::array kInsideWords =
    std::to_array<std::string_view>({"password", "passwd", "passphrase", "credential", "apikey",
                                     "accesskey", "privatekey", "secretkey", "connectionstring"});
constexpr WordSet kReferenceWords(
    {"name",     "names",    "ref",      "refs",     "reference", "references", "namespace",
     "path",     "paths",    "file",     "files",    "dir",       "directory",  "mount",
     "type",     "kind",     "class",    "mode",     "method",    "methods",    "policy",
     "provider", "enabled",  "disabled", "required", "optional",  "url",        "uri",
     "endpoint", "host",     "hostname", "port",     "seconds",   "minutes",    "expiration",
     "expiry",   "ttl",      "duration", "timeout",  "audience",  "audiences",  "issuer",
     "version",  "format",   "size",     "length",   "limit",     "count",      "header",
     "headers",  "claim",    "claims",   "scope",    "scopes",    "algorithm",  "interval",
     "selector", "template", "status",   "phase",    "prefix",    "suffix"});

/// What else stands below a credential's name and is none.
constexpr WordSet kDescriptionWords({"key", "keys", "id", "items", "from", "encoding",
                                     "description", "title", "pattern", "default", "enum",
                                     "example", "operator", "effect", "user", "username",
                                     "properties", "labels"});

/// Pairs of letters of which every credential's name has one: the first look at a name.
class LetterPairs {
 public:
  constexpr explicit LetterPairs(std::initializer_list<std::string_view> pairs) {
    for (const std::string_view pair : pairs) rows_[index(pair[0])] |= bit(pair[1]);
  }
  /// In either case; true also for some other bytes.
  constexpr bool is_any_in(std::string_view name) const {
    for (std::size_t i = 1; i < name.size(); ++i) {
      if ((rows_[index(name[i - 1])] & bit(name[i])) != 0) return true;
    }
    return false;
  }
  template <typename Words>
  constexpr bool are_in_all(const Words& words) const {
    for (const std::string_view word : words) {
      if (!is_any_in(word)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t index(char c) { return static_cast<unsigned char>(c) & 31u; }
  static constexpr std::uint32_t bit(char c) { return std::uint32_t{1} << index(c); }
  std::array<std::uint32_t, 32> rows_{};
};

constexpr LetterPairs kPairs({"ss", "wd", "ok", "cr", "pi", "iv", "cc", "ag", "yp", "gn", "as",
                              "ut", "nn", "sn", "jw", "ea"});
// Whatever makes is_credential_by_words() true holds one of these words.
static_assert(kPairs.are_in_all(kCredentialWords) && kPairs.are_in_all(kSecretWords) &&
              kPairs.are_in_all(kVariableWords) && kPairs.are_in_all(kKeyWords) &&
              kPairs.are_in_all(kInsideWords) && kPairs.are_in_all(kConnectionWords));

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "clientSecretRef" and "CLIENT_SECRET-ref": client, secret, ref. Calls `visit` with each word in
/// small letters; they are parts of `lower`. Every name of every object comes here: no word is
/// copied.
template <typename Visit>
void for_each_word(std::string_view name, std::string& lower, Visit visit) {
  lower = name;
  std::size_t begin = 0;
  const auto end_word = [&](std::size_t end) {
    if (end > begin) visit(std::string_view(lower).substr(begin, end - begin));
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (is_upper(c)) lower[i] = static_cast<char>(c - 'A' + 'a');
    const bool is_edge = i > 0 && is_upper(c) &&
                         (is_lower(name[i - 1]) ||
                          (is_upper(name[i - 1]) && i + 1 < name.size() && is_lower(name[i + 1])));
    const bool is_part = is_upper(c) || is_lower(c) || is_digit(c);
    if (!is_edge && is_part) continue;
    end_word(i);
    begin = is_part ? i : i + 1;
  }
  end_word(name.size());
}

bool is_credential_word(std::string_view word, NamePlace place) {
  if (kCredentialWords.contains(word)) return true;
  if (place != NamePlace::kAnnotation && kSecretWords.contains(word)) return true;
  if (place == NamePlace::kVariable && kVariableWords.contains(word)) return true;
  if (place == NamePlace::kVariable && word.find("secret") != std::string_view::npos) return true;
  return std::any_of(kInsideWords.begin(), kInsideWords.end(), [&](std::string_view inside) {
    return word.find(inside) != std::string_view::npos;
  });
}

/// "api key", "connection string": neither word says it alone.
bool is_credential_pair(std::string_view before, std::string_view word) {
  if (word == "key" || word == "keys") return kKeyWords.contains(before);
  return (word == "string" || word == "str") && kConnectionWords.contains(before);
}

}  // namespace

bool is_credential_name(std::string_view name, NamePlace place) {
  return kPairs.is_any_in(name) && is_credential_by_words(name, place);
}

bool is_credential_by_words(std::string_view name, NamePlace place) {
  std::string lower;
  std::string_view before, last;
  bool is_found = false;
  for_each_word(name, lower, [&](std::string_view word) {
    before = last;
    last = word;
    is_found = is_found || is_credential_word(word, place) ||
               (!before.empty() && is_credential_pair(before, word));
  });
  if (!is_found || kReferenceWords.contains(last)) return false;
  // A key's id is public (AWS_ACCESS_KEY_ID); a Secret is pulled by its name (Istio's WasmPlugin).
  if (last == "id" && before == "key") return false;
  return place != NamePlace::kMember || before != "pull";
}

bool is_credential_group(std::string_view name) {
  return is_credential_name(name, NamePlace::kAnnotation) && name != "imagePullSecrets";
}

bool is_description(std::string_view name) {
  std::string lower;
  std::string_view last;
  for_each_word(name, lower, [&](std::string_view word) { last = word; });
  return kReferenceWords.contains(last) || kDescriptionWords.contains(last);
}

bool is_variable_reference(std::string_view value) {
  return (value.starts_with("$(") && value.ends_with(")")) ||
         (value.starts_with("${") && value.ends_with("}"));
}

bool is_file_path(std::string_view value) {
  if (!value.starts_with('/')) return false;
  for (const std::string_view top : {"/etc/", "/var/", "/run/", "/mnt/", "/opt/", "/usr/"}) {
    if (value.starts_with(top)) return true;
  }
  return false;
}

}  // namespace filecall::worker::kube
