// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::worker::kube {

/// Who has set which fields of an object, as its `metadata.managedFields` say it (FieldsV1): the
/// entries of the managers, each with the paths that it owns. Never throws on what a server sends:
/// what has another form than the documented one is an error, and then nothing is known. Pure.
class FieldOwners {
 public:
  /// Takes what may not be shown out of a text.
  using Scrub = std::function<std::string(std::string_view)>;

  /// The server's identity of a manager, without its version of the API.
  struct Writer {
    std::string name;
    std::string operation;    ///< "Apply" or "Update".
    std::string subresource;  ///< Empty: the object itself. Servers before 1.22 do not say it.
    bool operator==(const Writer&) const = default;
  };

  /// Fields of one manager, in the notation of the server's conflicts:
  /// `.spec.containers[name="web"].image`. Of the members that identify an item only those with
  /// names that are no values (name, port, ...) are shown, and no item of a set.
  struct Fields {
    Writer manager;
    std::string time;  ///< When the entry was last changed; RFC 3339.
    std::vector<std::string> fields;
  };

  /// `object` is one as it came, not redacted. Failures: unimplemented (there are no managedFields,
  /// they have a form that is not known, or too many fields); the message is for people.
  static Result<FieldOwners> read(const Json& object, const Scrub& scrub);

  /// What others than `self` own here and do not own in `after` any more: what the write between
  /// the two has taken from them. Where a whole field was taken, what stood below it is not listed.
  /// Another operation of the same name (Update, Apply) is somebody else, as it is for the server.
  /// `self.subresource` is not compared.
  std::vector<Fields> taken_by(const Writer& self, const FieldOwners& after) const;
  /// Who but `self` owns the field, in the notation above, or a part of it.
  std::vector<Fields> others_of(std::string_view field, const Writer& self) const;
  /// All managers, without their fields.
  std::vector<Fields> managers() const;

 private:
  struct Entry {
    Fields who;
    /// By the path as the server writes it: what of it may be shown.
    std::map<std::string, std::string, std::less<>> fields;
  };
  class Reading;

  bool owns_otherwise(const Entry& entry, const std::string& path) const;

  std::vector<Entry> entries_;
};

/// As an answer shows them: [{"manager", "operation", "subresource"?, "time"?, "fields",
/// "fieldsLeftOut"?}], at most 20 managers with 20 fields each. Pure.
Json shown_owners(const std::vector<FieldOwners::Fields>& owners);

/// The same in words, for a warning: "'hpa' (Update, 2026-01-02T03:04:05Z): .spec.replicas". Pure.
std::string owners_in_words(const std::vector<FieldOwners::Fields>& owners);

}  // namespace filecall::worker::kube
