// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/credential_names.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>

#include "base/credential_words.h"
#include "worker/exec/kube/model/value_looks.h"

namespace filecall::worker::kube {
namespace {

/// Words in small letters. Every word of every name of every object is looked up: most are kept
/// apart by their length and first letter alone.
template <std::size_t N>
class WordSet {
 public:
  constexpr explicit WordSet(const std::string_view (&words)[N]) : WordSet(std::to_array(words)) {}
  template <std::same_as<std::array<std::string_view, N>> Words>
  constexpr explicit WordSet(const Words& words) : words_(words) {
    for (const std::string_view word : words) firsts_[word.size()] |= letter_bit(word.front());
  }
  constexpr bool contains(std::string_view word) const {
    return word.size() < firsts_.size() && (firsts_[word.size()] & letter_bit(word.front())) != 0 &&
           std::find(words_.begin(), words_.end(), word) != words_.end();
  }
  /// The word of the table itself; "" for none.
  constexpr std::string_view find(std::string_view word) const {
    return contains(word) ? *std::find(words_.begin(), words_.end(), word) : std::string_view();
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

template <std::size_t N>
WordSet(const std::array<std::string_view, N>&) -> WordSet<N>;

constexpr WordSet kCredentialWords(credential_words::kWords);
/// Of them those under which even "true" words are chosen by people.
constexpr WordSet kPasswordWords({"password", "passwords", "passwd", "pwd", "passphrase", "pw",
                                  "passcode", "pass", "requirepass", "rootpw", "bindpw",
                                  "storepass", "keypass"});
constexpr WordSet kSecretWords(credential_words::kSecretWords);
constexpr WordSet kVariableWords(credential_words::kSettingWords);
constexpr WordSet kOtherPasses({"bypass", "compass", "surpass", "trespass"});
constexpr WordSet kKeyWords(credential_words::kKeyOwners);
constexpr WordSet kConnectionWords(credential_words::kStringOwners);
using credential_words::kGluedWords;
using credential_words::kInsideWords;
/// And what says so in objects of clusters.
constexpr WordSet kReferenceWords(credential_words::with(
    credential_words::kReferenceWords,
    std::to_array<std::string_view>(
        {"names",      "refs",      "reference",  "references", "namespace", "paths",
         "files",      "directory", "mount",      "kind",       "class",     "methods",
         "policy",     "provider",  "disabled",   "required",   "optional",  "uri",
         "endpoint",   "host",      "hostname",   "port",       "seconds",   "minutes",
         "expiration", "expiry",    "duration",   "audience",   "audiences", "issuer",
         "version",    "format",    "size",       "length",     "limit",     "header",
         "headers",    "claim",     "claims",     "scope",      "scopes",    "algorithm",
         "interval",   "selector",  "template",   "status",     "phase",     "prefix",
         "suffix",     "backend",   "store",      "source",     "sources",   "rotation",
         "symbol",     "bytes",     "digits",     "bucket",     "min",       "max",
         "days",       "hours",     "age",        "domain",     "secure",    "samesite",
         "hasher",     "hashers",   "validators", "lifetime",   "lifespan",  "validity",
         "rate",       "hint",      "label",      "field",      "fields",    "strategy",
         "complexity", "in",        "policies",   "rules",      "lookup",    "processor",
         "location",   "arn",       "encryption", "reader",     "service",   "manager",
         "project",    "region",    "helper",     "sock",       "socket",    "from",
         "email",      "through"})));

/// What else stands below a credential's name and is none.
constexpr WordSet kDescriptionWords({"key",      "keys",        "id",       "items",   "from",
                                     "encoding", "description", "title",    "pattern", "default",
                                     "enum",     "example",     "operator", "effect",  "user",
                                     "username", "properties",  "labels",   "source",  "strategy",
                                     "role"});
constexpr WordSet kModelWords(credential_words::kModelWords);
/// Before "secret": what follows is the name of one.
constexpr WordSet kSecretKinds({"existing", "as",         "certificates", "certs",    "tls",
                                "auth",     "pull",       "ca",           "cert",     "certificate",
                                "source",   "target",     "image",        "password", "registry",
                                "bearer",   "credential", "credentials",  "token",    "ssl",
                                "key",      "user",       "database",     "db",       "storage",
                                "backup",   "s3"});
constexpr std::size_t kUuidBytes = 36;

/// Endings under which only what a machine has drawn is taken for a credential.
constexpr std::array kWeakEnds = std::to_array<std::string_view>(
    {"key", "keys", "salt", "psk", "auth", "seed", "pass", "community"});
constexpr WordSet kPublicWords({"public", "pub", "partition", "sort", "primary", "foreign", "cache",
                                "kms", "idempotency", "object", "row", "host", "index",
                                "publishable", "site", "gpg", "pgp"});

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
                              "ut", "nn", "sn", "jw", "ea", "pw"});
// Whatever makes is_credential_by_words() true holds one of these words.
static_assert(kPairs.are_in_all(kCredentialWords) && kPairs.are_in_all(kSecretWords) &&
              kPairs.are_in_all(kVariableWords) && kPairs.are_in_all(kKeyWords) &&
              kPairs.are_in_all(kInsideWords) && kPairs.are_in_all(kGluedWords) &&
              kPairs.are_in_all(kConnectionWords));

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "clientSecretRef" and "CLIENT_SECRET-ref2": client, secret, ref. Calls `visit` with each word in
/// small letters; they are parts of `lower`. Every name of every object comes here: no word is
/// copied.
template <typename Visit>
void for_each_word(std::string_view name, std::string& lower, Visit visit) {
  lower = name;
  std::size_t begin = 0;
  const auto end_word = [&](std::size_t end) {
    if (end == begin) return;
    std::string_view word = std::string_view(lower).substr(begin, end - begin);
    // The second "token2" is a token as well; a mere number stays one.
    const std::size_t letter = word.find_last_not_of("0123456789");
    if (letter != std::string_view::npos) word = word.substr(0, letter + 1);
    visit(word);
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

/// The word of a table that makes it one; "" for none.
std::string_view credential_word_of(std::string_view word, NamePlace place) {
  if (const auto found = kCredentialWords.find(word); !found.empty()) return found;
  if (place != NamePlace::kAnnotation) {
    if (const auto found = kSecretWords.find(word); !found.empty()) return found;
  }
  if (place == NamePlace::kVariable) {
    if (const auto found = kVariableWords.find(word); !found.empty()) return found;
    if (word.find("secret") != std::string_view::npos) return "secret";
    // "dbpass", but no bypass.
    if (word.size() <= 8 && word.ends_with("pass") && !kOtherPasses.contains(word)) return "pass";
  }
  if (word == "nopasswd") return {};  // Of sudo.
  for (const std::string_view inside : kInsideWords) {
    if (word.find(inside) != std::string_view::npos) return inside;
  }
  for (const std::string_view end : kGluedWords) {
    if (word.ends_with(end) && word != "oldpwd") return end;
  }
  return {};
}

/// "api key", "connection string", "snmp community": neither word says it alone.
bool is_credential_pair(std::string_view before, std::string_view word) {
  if (word == "key" || word == "keys") return kKeyWords.contains(before);
  if (word == "community") return before == "snmp";
  return (word == "string" || word == "str") && kConnectionWords.contains(before);
}

}  // namespace

bool is_credential_name(std::string_view name, NamePlace place) {
  return kPairs.is_any_in(name) && is_credential_by_words(name, place);
}

bool is_credential_by_words(std::string_view name, NamePlace place, std::string_view* why) {
  std::string lower;
  std::string_view before, last, found;
  for_each_word(name, lower, [&](std::string_view word) {
    before = last;
    last = word;
    if (!found.empty()) return;
    found = credential_word_of(word, place);
    if (found.empty() && !before.empty() && is_credential_pair(before, word)) {
      found = word.starts_with("key") ? "key" : word == "community" ? "community" : "string";
    }
  });
  // As a member it may be a number of tests that were passed; alone it is a credential.
  if (found.empty() && place == NamePlace::kMember && last == "pass") found = "pass";
  if (found.empty() || kReferenceWords.contains(last)) return false;
  // A key's id is public (AWS_ACCESS_KEY_ID); a Secret is pulled by its name (Istio's WasmPlugin).
  if (last == "id" && before == "key") return false;
  if (place == NamePlace::kMember && before == "pull") return false;
  if (why != nullptr) *why = found;
  return true;
}

namespace {

/// The words of a name, as the rules of its value need them.
struct NameWords {
  std::string_view before, last;  ///< Parts of `lower`.
  std::string lower;
  bool is_password = false;
  bool is_of_model = false;
  bool is_existing = false;
  bool is_public = false;
};

bool is_password_word(std::string_view word) {
  return kPasswordWords.contains(word) || word.find("pass") != std::string_view::npos ||
         word.ends_with("pwd") || word.ends_with("pw") || word.ends_with("kennwort");
}

NameWords words_of(std::string_view name) {
  NameWords out;
  std::size_t before_at = 0, before_size = 0, last_at = 0, last_size = 0;
  for_each_word(name, out.lower, [&](std::string_view word) {
    before_at = last_at;
    before_size = last_size;
    last_at = static_cast<std::size_t>(word.data() - out.lower.data());
    last_size = word.size();
    out.is_password = out.is_password || is_password_word(word);
    out.is_of_model = out.is_of_model || kModelWords.contains(word);
    out.is_existing = out.is_existing || word == "existing";
    out.is_public = out.is_public || kPublicWords.contains(word);
  });
  out.before = std::string_view(out.lower).substr(before_at, before_size);
  out.last = std::string_view(out.lower).substr(last_at, last_size);
  return out;
}

bool is_off(std::string_view value) {
  for (const std::string_view word :
       {"true",    "false",    "yes",      "no",       "on",    "off",    "none",   "null",   "~",
        "enabled", "disabled", "required", "optional", "unset", "string", "str",    "String", "int",
        "bool",    "True",     "False",    "None",     "YES",   "NO",     "String!"}) {
    if (value == word) return true;
  }
  return value.empty();
}

bool is_no_credential(const NameWords& name, NamePlace place, std::string_view value) {
  if (is_reference_value(value) || is_file_path(value) || is_off(value)) return true;
  if (name.is_existing) return true;
  // What every agent has until somebody changes it.
  if (name.last == "community" && value == "public") return true;
  const bool is_member = place == NamePlace::kMember;
  if ((name.last == "secret" || name.last == "secrets") && is_name_like(value) &&
      (name.before.empty() || kSecretKinds.contains(name.before))) {
    return true;
  }
  // The key of an object, or the property of a store, under which the credential is.
  if (is_member && (name.last == "key" || name.last == "secretkey") && is_name_like(value)) {
    return true;
  }
  if (name.last == "key" && is_password_word(name.before) && is_name_like(value)) return true;
  if (name.is_password) return false;
  if (is_state_word(value) || is_quantity(value) || name.is_of_model) return true;
  if (name.last == "cookie" && value.find('=') != value.npos) {
    return !looks_generated(value.substr(value.find('=') + 1));
  }
  return name.last == "auth" && !looks_random(value) && value.find(':') == value.npos;
}

/// The ending that makes a name a weak one; "" for none.
std::string_view weak_end(std::string_view name) {
  // The last letters of all endings: the last letter decides for most names.
  if (name.empty() ||
      std::string_view("ystkhdYSTKHD").find(name.back()) == std::string_view::npos) {
    return {};
  }
  const auto lowered = [](char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; };
  for (const std::string_view end : kWeakEnds) {
    if (name.size() < end.size()) continue;
    const std::size_t at = name.size() - end.size();
    if (!std::equal(end.begin(), end.end(), name.begin() + static_cast<std::ptrdiff_t>(at),
                    [&](char a, char b) { return a == lowered(b); })) {
      continue;
    }
    const bool is_word = at == 0 || !(is_lower(name[at - 1]) || is_upper(name[at - 1])) ||
                         (is_lower(name[at - 1]) && is_upper(name[at]));
    if (is_word) return end;
  }
  return {};
}

}  // namespace

bool may_be_credential_name(std::string_view name) {
  return kPairs.is_any_in(name) || !weak_end(name).empty();
}

std::string_view credential_word(std::string_view name, NamePlace place, std::string_view value) {
  if (value.empty()) return {};
  if (kPairs.is_any_in(name)) {
    std::string_view found;
    if (is_credential_by_words(name, place, &found)) {
      return is_no_credential(words_of(name), place, value) ? std::string_view() : found;
    }
  }
  const std::string_view weak = weak_end(name);
  if (weak.empty() || words_of(name).is_public) return {};
  const bool is_drawn_by_people =
      weak == "pass" || weak == "salt" || weak == "psk" || weak == "community";
  const bool is_likely = is_drawn_by_people ? looks_random(value) : looks_generated(value);
  return is_likely && !is_reference_value(value) ? weak : std::string_view();
}

bool is_password_name(std::string_view name) {
  if (!is_credential_name(name, NamePlace::kVariable)) return false;
  const NameWords words = words_of(name);
  return is_password_word(words.last) && words.last != "pass" && !kOtherPasses.contains(words.last);
}

bool is_credential_below(std::string_view group, std::string_view value) {
  NameWords name = words_of(group);
  name.is_existing = false;
  return !value.empty() && !is_no_credential(name, NamePlace::kVariable, value);
}

bool is_credential_group(std::string_view name) {
  return is_credential_name(name, NamePlace::kAnnotation) && name != "imagePullSecrets";
}

bool is_user_map(std::string_view name) {
  if (!name.ends_with("sers")) return false;
  std::string lower;
  std::string_view last;
  for_each_word(name, lower, [&](std::string_view word) { last = word; });
  return last == "users";
}

bool is_user_password(std::string_view user, std::string_view value) {
  if (!looks_random(value) || is_description(user) || is_reference_value(value)) return false;
  const std::size_t at = value.find('@');
  const bool is_address = at != value.npos && value.find('.', at) != value.npos;
  const bool is_host = value.find('.') != value.npos && std::ranges::all_of(value, [](char c) {
                         return is_lower(c) || is_digit(c) || c == '.' || c == '-';
                       });
  const bool is_id = value.size() == kUuidBytes && value[8] == '-' && looks_generated(value);
  return !is_address && !is_host && !is_id && value.find_first_of("/:,;") == value.npos;
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
