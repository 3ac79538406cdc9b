// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace filecall::worker::kube {

/// Where a name stands: the same word means a value in one place and a reference in another.
enum class NamePlace : std::uint8_t {
  kVariable,    ///< Environment variable, ConfigMap key, command-line flag, HTTP header.
  kMember,      ///< Member of an object of any kind, custom ones included.
  kAnnotation,  ///< Key of an annotation: "auth-secret" there names a Secret.
};

/// Whether what stands under this name is to be taken for a credential. The rule: the name, split
/// into words at case changes and punctuation, has a word out of password, passwd, pwd, passphrase,
/// secret, token, credential, api key, access key, private key, connection string, authorization,
/// cookie (as a variable also: auth, dsn, pass, jwt, bearer), and its last word does not say that
/// only a reference or a setting follows (name, ref, path, file, url, type, enabled, seconds, ...).
bool is_credential_name(std::string_view name, NamePlace place);
/// The rule without the first look that tells most names apart. The answer is the same.
/// `why`: set to the word that makes it one.
bool is_credential_by_words(std::string_view name, NamePlace place,
                            std::string_view* why = nullptr);

/// The word of the name for which the value is taken for a credential; "" when it is none:
/// - The name is a credential's, and the value is neither a reference, a file, a state ("true",
///   "none") nor, but for passwords, a number, a duration or a method ("basic").
/// - Or the name ends in a word that may mean a credential ("key", "salt", "auth"), and the value
///   looks as if a machine had drawn it.
std::string_view credential_word(std::string_view name, NamePlace place, std::string_view value);
/// Whether the name's last word is one for a password: there a number is one as well
/// (`adminPassword: 12345678`).
bool is_password_name(std::string_view name);
/// False for most names under which no value is one.
bool may_be_credential_name(std::string_view name);
/// The same as credential_word() for a text somewhere below a group of this name.
bool is_credential_below(std::string_view group, std::string_view value);

/// Whether all texts below an object or a list of this name are taken for credentials:
/// `passwords: {alice: ...}`, `token: {value: ...}`. "secret" and "secrets" alone are names of
/// objects there.
bool is_credential_group(std::string_view name);
/// Whether a member of this name has users by their names ("users", "basicAuthUsers"). What stands
/// right below may be anything of theirs.
bool is_user_map(std::string_view name);
/// Whether a text right below such a member is the password of that user: it looks drawn, and is no
/// address, no path, no image, no host and no id.
bool is_user_password(std::string_view user, std::string_view value);
/// Whether a member below such a group is none all the same: it names the credential or says how
/// it is used (key, name, valueFrom, type, encoding, ...).
bool is_description(std::string_view name);

/// Texts under a credential's name that only say where the credential is: "$(NAME)" and "${NAME}"
/// name another variable.
bool is_variable_reference(std::string_view value);
/// And a file, in one of the places where credentials are mounted.
bool is_file_path(std::string_view value);

}  // namespace filecall::worker::kube
