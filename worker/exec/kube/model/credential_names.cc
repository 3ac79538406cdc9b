// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/credential_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace filecall::worker::kube {
namespace {

constexpr std::array kCredentialWords = std::to_array<std::string_view>(
    {"password", "passwords", "passwd", "pwd", "passphrase", "token", "tokens", "credential",
     "credentials", "creds", "apikey", "apikeys", "accesskey", "privatekey", "secretkey",
     "connectionstring", "connstr", "authorization", "cookie"});
constexpr std::array kSecretWords = std::to_array<std::string_view>({"secret", "secrets"});
constexpr std::array kVariableWords =
    std::to_array<std::string_view>({"auth", "dsn", "pass", "jwt", "bearer"});
/// What makes "key" and "string" a credential when it stands before them.
constexpr std::array kKeyWords =
    std::to_array<std::string_view>({"api", "access", "private", "account", "storage", "encryption",
                                     "signing", "master", "session", "auth"});
/// Found inside a word too: nobody writes "mysqlpassword" for anything else.
constexpr std::array kInsideWords =
    std::to_array<std::string_view>({"password", "passwd", "passphrase", "credential", "apikey",
                                     "accesskey", "privatekey", "secretkey", "connectionstring"});
constexpr std::array kReferenceWords = std::to_array<std::string_view>(
    {"name",     "names",    "ref",      "refs",     "reference", "references", "namespace",
     "path",     "paths",    "file",     "files",    "dir",       "directory",  "mount",
     "type",     "kind",     "class",    "mode",     "method",    "methods",    "policy",
     "provider", "enabled",  "disabled", "required", "optional",  "url",        "uri",
     "endpoint", "host",     "hostname", "port",     "seconds",   "minutes",    "expiration",
     "expiry",   "ttl",      "duration", "timeout",  "audience",  "audiences",  "issuer",
     "version",  "format",   "size",     "length",   "limit",     "count",      "header",
     "headers",  "claim",    "claims",   "scope",    "scopes",    "algorithm",  "interval",
     "selector", "template", "status",   "phase",    "prefix",    "suffix"});

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "clientSecretRef" and "CLIENT_SECRET-ref": client, secret, ref; parts of `lower`, which is the
/// name in small letters. Every name of every object comes here: no word is copied.
std::vector<std::string_view> words_of(std::string_view name, std::string& lower) {
  lower = name;
  std::vector<std::string_view> words;
  words.reserve(8);
  std::size_t begin = 0;
  const auto end_word = [&](std::size_t end) {
    if (end > begin) words.push_back(std::string_view(lower).substr(begin, end - begin));
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
  return words;
}

bool is_credential_word(std::string_view word, NamePlace place) {
  if (is_one_of(kCredentialWords, word)) return true;
  if (place != NamePlace::kAnnotation && is_one_of(kSecretWords, word)) return true;
  if (place == NamePlace::kVariable && is_one_of(kVariableWords, word)) return true;
  if (place == NamePlace::kVariable && word.find("secret") != std::string_view::npos) return true;
  return std::any_of(kInsideWords.begin(), kInsideWords.end(), [&](std::string_view inside) {
    return word.find(inside) != std::string_view::npos;
  });
}

}  // namespace

bool is_credential_name(std::string_view name, NamePlace place) {
  std::string lower;
  const std::vector<std::string_view> words = words_of(name, lower);
  if (words.empty() || is_one_of(kReferenceWords, words.back())) return false;
  // A key's id is public (AWS_ACCESS_KEY_ID); a Secret is pulled by its name (Istio's WasmPlugin).
  const std::size_t last = words.size() - 1;
  if (last > 0 && words[last] == "id" && words[last - 1] == "key") return false;
  if (place == NamePlace::kMember && last > 0 && words[last - 1] == "pull") return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_credential_word(words[i], place)) return true;
    if (i == 0) continue;
    const std::string_view word = words[i];
    if ((word == "key" || word == "keys") && is_one_of(kKeyWords, words[i - 1])) return true;
    if ((word == "string" || word == "str") &&
        (words[i - 1] == "connection" || words[i - 1] == "conn")) {
      return true;
    }
  }
  return false;
}

bool is_variable_reference(std::string_view value) {
  return (value.starts_with("$(") && value.ends_with(")")) ||
         (value.starts_with("${") && value.ends_with("}"));
}

bool is_file_path(std::string_view value) {
  for (const std::string_view top : {"/etc/", "/var/", "/run/", "/mnt/", "/opt/", "/usr/"}) {
    if (value.starts_with(top)) return true;
  }
  return false;
}

}  // namespace filecall::worker::kube
