// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "spool/journal_record.h"

namespace filecall::spool {

/// What repairing the files of one stem needs to know. Pure.
struct RepairFacts {
  enum class Response : std::uint8_t {
    kMissing,
    kSame,   ///< Holds the bytes of the last answer.
    kTorn,   ///< Is no response: 0 bytes, the beginning of one, damaged.
    kOlder,  ///< Another complete response, written before the last answer.
    kOther,  ///< Another complete response.
  };
  /// The last record of the stem.
  RecordKind last = RecordKind::kAnswer;
  /// What was written and not synced may be gone: another boot, or another mount.
  bool is_cache_lost = true;
  /// A sync of the published files failed: what reads well now may not be on the disk.
  bool is_suspect = false;
  /// The answer was logged and certainly never published.
  bool is_unpublished = false;
  bool has_request = true;
  Response response = Response::kMissing;
};

struct RepairPlan {
  enum class Response : std::uint8_t {
    kLeave,
    kPublish,   ///< Write the answer under the free name.
    kReplace,   ///< Write it over what is there.
    kDisplace,  ///< The same, and keep what was there in worker/late/.
    kRemove,    ///< It is torn, and what it was is withdrawn.
  };
  enum class Start : std::uint8_t { kLeave, kWrite, kRemove };
  Response response = Response::kLeave;
  Start start = Start::kLeave;
  bool operator==(const RepairPlan&) const = default;
};

/// The rules are in docs/protocol.md, "Journal".
RepairPlan plan_repair(const RepairFacts& facts);

}  // namespace filecall::spool
