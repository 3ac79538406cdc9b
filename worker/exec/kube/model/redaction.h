// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/digest.h"
#include "worker/exec/kube/model/known_values.h"
#include "worker/exec/kube/model/places.h"
#include "worker/exec/kube/model/redaction_rules.h"

namespace filecall::worker::kube {

/// A kind as discovery knows it; `group` is empty for the core group.
struct ObjectKind {
  std::string group;
  std::string kind;
  bool operator==(const ObjectKind&) const = default;
};

/// Takes what is secret out of everything that belongs to one exchange with an API server: bodies,
/// error texts, diffs. Works on single objects, lists (typed ones, whose items do not say their
/// kind, and `List`), tables, watch events and Status bodies.
///
/// Rules, in this order:
/// 1. Secrets (by the kind that was asked for or by the kind that stands there, at any depth):
///    every value of `data` and `stringData` becomes {"redacted": true, "bytes", "digest"}; members
///    that a Secret does not have, and annotations longer than 256 bytes, are taken out.
/// 2. Annotations that hold a copy of the object (last-applied-configuration and its like) and
///    managedFields are removed from every kind. What the copy of a Secret holds is known as secret
///    (rule 5), also where the Secret itself holds it no more.
/// 3. Values with a credential's name (credential_names.h): environment variables, ConfigMap keys,
///    headers, arguments after a flag, members of any object, cells of a table under such a column:
///    "[redacted bytes=N digest=D]".
///    A ConfigMap's `binaryData` is shown by size and digest.
///    And all texts below an object or a list with a credential's name (`passwords: {alice: ...}`),
///    but for those that name or describe it.
/// 4. Objects that an error quotes (quoted_objects.h) are taken out of it.
/// 5. All other texts: known secret values of the exchange and what looks like a credential
///    (credential_values.h) become "[redacted digest=D]" in an object, so that two versions of it
///    can be distinguished, and "[redacted]" elsewhere. What identifies an object (kind, name,
///    namespace, uid, owners) and the names of members stay as they are.
/// 6. Structure (names, labels, selectors, images, hosts, references, keys: structure_names.h) is
///    never masked for a value that is secret elsewhere, but for labels of a Secret that are of no
///    common use. And what is plain or equal to a name (learned_values.h) is secret only where it
///    stands; the texts of an error are searched for all that was sent.
///
/// The digest is keyed (digest.h) and depends on the value alone, so that two places which hold the
/// same secret can be seen to do so. `bytes` is the length of the decoded value.
///
/// Not thread-safe; an exchange has its own instance. Pure. Bodies nest at most as deep as the
/// parser lets through (limits::kDepth).
class Redactor {
 public:
  enum class Secrets : bool { kHidden, kRevealed };

  /// `secrets`: kRevealed (allowed by the configuration alone) keeps what rules 1, 3 and 5 hide.
  /// `rules`: what the configuration adds and excepts; null: nothing.
  explicit Redactor(const DigestKey& key, Secrets secrets = Secrets::kHidden,
                    std::shared_ptr<const RedactionRules> rules = nullptr)
      : key_(key), secrets_(secrets), rules_(std::move(rules)) {}

  /// Remembers the secret values of a body, sent or received, without changing it. A request's body
  /// must be learned before its answer is redacted: errors repeat what was sent.
  void learn(const Json& body, const ObjectKind& asked);
  /// Remembers one value, e.g. the token that the request carried. Revealing does not show it.
  void learn_value(std::string_view value) { own_.add(value); }

  /// Learns from the body, then takes out what is secret. `asked` is the kind of the request's URL.
  /// `also` adds places that only the caller knows to those that were found.
  Json redact(Json body, const ObjectKind& asked,
              const std::function<void(Json& body, Places& places)>& also = nullptr);
  /// A text that is no body: an error message, a log line, a warning header.
  std::string scrub(std::string_view text) const;
  /// What a program printed: it may be a log, and it may be a file of settings.
  std::string scrub_output(std::string_view text) const;
  /// A keyed digest of an object as it is, without what only the server keeps: equal for two
  /// versions exactly when nothing else differs, hidden or not.
  std::string fingerprint(Json object) const;
  /// What stands for a secret value: {"redacted", "bytes", "digest"}.
  Json mark(std::string_view value) const;
  /// The same as a text, where a text is expected.
  std::string mark_text(std::string_view value) const;

  /// What of the last body was hidden and why, by its path: at most kNotesMax, the values of a
  /// Secret as one.
  struct Note {
    std::string path;  ///< JSON pointer.
    std::string why;
  };
  static constexpr std::size_t kNotesMax = 50;
  const std::vector<Note>& notes() const { return notes_; }
  std::size_t omitted_notes() const { return omitted_notes_; }

  bool is_revealing() const { return secrets_ == Secrets::kRevealed; }

 private:
  /// A text inside an object: its digest distinguishes what is hidden. nullopt: it may stay
  /// as it is.
  std::optional<std::string> scrub_member(std::string_view text, TextUse use, bool is_of_error,
                                          const std::vector<TextSpan>& secrets,
                                          std::string_view* why) const;
  /// `why`: set to a reason for one of them.
  std::vector<TextSpan> secret_spans(std::string_view text, TextUse use, bool is_of_error,
                                     std::string_view* why = nullptr) const;
  /// Whether a text holds nothing that is to be hidden, seen at once: one word that begins no
  /// credential, while nothing is known to be looked for. Most texts of most objects are.
  bool is_harmless_word(std::string_view text, bool is_of_error) const;
  /// Names of members that have the form of a token ({"ghp_...": "alice"}).
  void hide_names(Json& value) const;
  using Reasons = std::unordered_map<const Json*, std::string>;
  void note(const Json& value, const std::string& path, const Reasons& reasons);
  /// Makes known what may be looked for elsewhere.
  void know(Places& places);
  Json marked(const Places::Hidden& hidden) const;

  const RedactionRules& rules() const { return rules_ ? *rules_ : RedactionRules::none(); }

  DigestKey key_;
  Secrets secrets_;
  std::shared_ptr<const RedactionRules> rules_;
  KnownValues known_;  ///< What objects are searched for.
  KnownValues sent_;   ///< All that was sent: what errors are searched for, too.
  std::vector<std::string> sent_values_;
  std::vector<Note> notes_;
  std::size_t omitted_notes_ = 0;
  KnownValues own_;  ///< Ours, not the cluster's: hidden even when secrets are revealed.
};

/// Whether the annotation holds a copy of its object.
bool is_copy_annotation(std::string_view key);

}  // namespace filecall::worker::kube
