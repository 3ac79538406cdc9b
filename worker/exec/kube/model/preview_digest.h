// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "worker/exec/kube/model/digest.h"
#include "worker/exec/kube/model/write_plan.h"

namespace filecall::worker::kube {

/// One write as a preview binds it: where it goes, and all that is sent (the precondition is part
/// of that; a plan without one is of an object that is not there, or is created).
struct BoundWrite {
  std::string server;
  std::string context;  ///< Who writes.
  std::string path;
  const WritePlan& plan;
};

/// When and for which preview a digest was given.
struct PreviewStamp {
  std::int64_t issued_s = 0;  ///< Seconds since 1970.
  std::string id;             ///< Hex digits of a random number: one preview, one write.
};

/// Binds a preview to the one write that follows it: "v2:ISSUED:ID:MAC", the keyed digest of the
/// write and of the stamp. A write that is given the digest of its preview and comes to another one
/// would do something else than what was looked at. Keyed (preview_key.h), because a body may hold
/// a short secret, which a plain digest would let everybody guess. Pure.
std::string preview_digest(const DigestKey& key, const BoundWrite& write,
                           const PreviewStamp& stamp);

/// What a digest says of itself; nullopt when it is none. It counts only after mistake_of_digest().
std::optional<PreviewStamp> stamp_of_digest(std::string_view digest);

/// Why the write may not be carried out with this digest at `now_s`: it was given for another one,
/// or is older than `validity_s`. Empty: it may (once). Pure.
std::string mistake_of_digest(const DigestKey& key, const BoundWrite& write,
                              std::string_view digest, std::int64_t now_s, std::int64_t validity_s);

}  // namespace filecall::worker::kube
