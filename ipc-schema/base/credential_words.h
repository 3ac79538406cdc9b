// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

/// Words by which the name of a value says that the value is a credential, in small letters. The
/// worker hides such values in clusters' objects, the client leaves them out of what it imports.
/// What each of them makes of the words differs; the words do not.
namespace filecall::credential_words {

/// As a word of a name.
inline constexpr std::array kWords = std::to_array<std::string_view>(
    {"password",    "passwords",     "passwd",    "pwd",
     "passphrase",  "token",         "tokens",    "credential",
     "credentials", "creds",         "apikey",    "apikeys",
     "accesskey",   "privatekey",    "secretkey", "connectionstring",
     "connstr",     "authorization", "cookie",    "pw",
     "passcode",    "authtok",       "authtoken", "authkey",
     "requirepass", "masterauth",    "rootpw",    "bindpw",
     "storepass",   "keypass",       "passkey",   "clientsecret",
     "appsecret",   "sharedsecret",  "jwtsecret", "webhooksecret",
     "basicauth"});
/// The same, but where these words name an object that holds one.
inline constexpr std::array kSecretWords = std::to_array<std::string_view>({"secret", "secrets"});
/// The same of variables and settings.
inline constexpr std::array kSettingWords =
    std::to_array<std::string_view>({"auth", "dsn", "pass", "jwt", "bearer"});
/// What makes "key" a credential when it stands before it.
inline constexpr std::array kKeyOwners =
    std::to_array<std::string_view>({"api", "access", "private", "account", "storage", "encryption",
                                     "signing", "master", "session", "auth", "subscription"});
/// And "string".
inline constexpr std::array kStringOwners = std::to_array<std::string_view>({"connection", "conn"});
/// Found inside a word too: nobody writes "mysqlpassword" for anything else.
inline constexpr std::array kInsideWords = std::to_array<std::string_view>(
    {"password", "passwd", "passphrase", "credential", "apikey", "accesskey", "privatekey",
     "secretkey", "connectionstring", "privkey", "passwort", "kennwort"});
/// And at the end of one: "accesstoken", "dbpwd", "adminpw".
inline constexpr std::array kGluedWords = std::to_array<std::string_view>({"token", "pwd", "pw"});
/// As the last word of a name: what follows says where the credential is, or how it is used.
inline constexpr std::array kReferenceWords =
    std::to_array<std::string_view>({"name", "ref", "path", "file", "dir", "type", "mode", "method",
                                     "enabled", "url", "ttl", "timeout", "count"});
/// With one of these words "token" is a piece of a text for a language model, or a count.
inline constexpr std::array kModelWords =
    std::to_array<std::string_view>({"max", "min", "num", "total", "prompt", "completion", "stop",
                                     "eos", "bos", "pad", "unk", "sep", "cls", "limit", "per"});

/// What a JSON Web Token begins with, and a key in PEM.
inline constexpr std::string_view kWebTokenBeginning = "eyJ";
inline constexpr std::string_view kPemBeginning = "-----BEGIN ";

/// Both lists as one.
template <std::size_t N, std::size_t M>
constexpr std::array<std::string_view, N + M> with(const std::array<std::string_view, N>& words,
                                                   const std::array<std::string_view, M>& more) {
  std::array<std::string_view, N + M> all{};
  std::copy(more.begin(), more.end(), std::copy(words.begin(), words.end(), all.begin()));
  return all;
}

}  // namespace filecall::credential_words
