// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/kube/kube_write_run.h"
#include "worker/exec/kube/model/field_owners.h"

namespace filecall::worker::kube {

/// A write to an object that may be somebody else's: it says who writes it besides, and whose
/// fields it takes. Nothing of this refuses the write, and what cannot be known is said. Loop
/// thread only.
class OwnedWriteRun : public WriteRun {
 public:
  using WriteRun::WriteRun;

 protected:
  /// Says of a refused apply which conflicts are with this manager itself, and since when the
  /// others have their fields, where the server does not say it.
  void explain_conflicts(Failure& failure) const;
  /// Warns who else writes the object, as it was read or as the server answers it, redacted.
  void warn_of_managers(const Json& object);
  /// Adds to the answer from whom the write, or its dry run, takes which fields, and warns of it:
  /// `fieldOwners` of what note_earlier() was given. It is not known when nothing was given.
  void add_field_owners(const WritePlan& plan, const ApiReply& after, Json& data);
  /// Who else set the field of `object`, which is one as it came: for a write that does not answer
  /// with the object itself.
  void add_owners_of(std::string_view field, const ApiReply& object, Json& data);
  /// The same, of what is known already.
  void say_owners(const Result<std::vector<FieldOwners::Fields>>& owners, Json& data);
  /// Warns of autoscalers that set the replicas of the object to what they want, then calls `then`.
  /// `replicas`: those that are to be written.
  void check_autoscalers(std::optional<std::int64_t> replicas, std::function<void()> then);

 private:
  void add_times(Json& conflicts) const;
  void look_at_autoscalers(const Resource& autoscalers, std::optional<std::int64_t> replicas,
                           std::function<void()> then);
};

}  // namespace filecall::worker::kube
