// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/text_spans.h"

namespace filecall::worker::kube {

/// What a configuration adds to the rules of redaction, and what it takes from them
/// (`kube.redact`). Entries are names, in any case, with '*' for anything; and, to add, forms of
/// values between slashes (`/ACME-[0-9A-F]{16}/`, RE2).
///
/// An exception says that a name is no credential's. It shows no value that is secret for another
/// reason: those of Secrets, wherever they stand, and what has the form of a token. What is both
/// added and excepted is hidden. Immutable; any thread.
class RedactionRules {
 public:
  RedactionRules() = default;
  /// Failure: invalid_argument, with the entry: a form that is none, a name without a letter.
  static Result<RedactionRules> parse(const std::vector<std::string>& add,
                                      const std::vector<std::string>& except);
  /// The rules alone.
  static const RedactionRules& none();

  /// credential_word(), for names that were added kAdded.
  std::string_view word(std::string_view name, NamePlace place, std::string_view value) const;
  static constexpr std::string_view kAdded = "kube.redact.add";
  /// Why the value is hidden: "env name DB_PASSWORD has the word password".
  std::string why(std::string_view what, std::string_view name, NamePlace place,
                  std::string_view value) const;
  /// is_credential_name(), may_be_credential_name(), is_password_name(), is_credential_group(),
  /// is_credential_below(), is_user_map().
  bool is_name(std::string_view name, NamePlace place) const;
  bool may_be_name(std::string_view name) const;
  bool is_password(std::string_view name) const;
  bool is_group(std::string_view name) const;
  bool is_below(std::string_view group, std::string_view value) const;
  bool is_user_map(std::string_view name) const;

  /// Appends where a text has one of the forms.
  void find_forms(std::string_view text, std::vector<TextSpan>& spans) const;
  bool has_forms() const { return forms_ != nullptr; }

 private:
  struct Forms;
  bool adds(std::string_view name) const;
  bool excepts(std::string_view name) const;

  std::vector<std::string> added_;     ///< In small letters.
  std::vector<std::string> excepted_;  ///< Likewise.
  std::shared_ptr<const Forms> forms_;
};

}  // namespace filecall::worker::kube
