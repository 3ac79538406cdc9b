// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/json.h"

namespace filecall::client {

/// What determines a run, beside its list of requests.
struct RunPlanText {
  std::string name;                 ///< Of the batch.
  std::vector<std::string> inputs;  ///< Paths; for people, not part of the digest.
  /// Prompts with their texts and digests, models, params, variables, repeats, seed.
  Json setup = Json::object();
};

/// `runs/{id}.json`: one experiment. Written before its first request is dropped, and never
/// changed. Its list of requests lies beside it.
struct RunRecord {
  std::string run_id;
  RunPlanText plan;
  WallTime created_at{};
  std::string digest;        ///< Of name, setup and list: the same again is the same run.
  std::string items_digest;  ///< Of the bytes of the list.
  std::int64_t requests = 0;
};

/// See RunRecord::digest. Pure, as the rest.
std::string run_digest(const RunPlanText& plan, std::string_view items_digest);
/// "20261123T061603120Z-1a2b3c4d": sorts by time, ends with the digest's beginning.
std::string make_run_id(WallTime created_at, std::string_view digest);
/// What the ids of all runs of that digest end with.
std::string run_id_ending(std::string_view digest);

Json run_record_json(const RunRecord& record);
/// Lenient on unknown members. Failure: invalid_argument, no record, or another run's.
Result<RunRecord> parse_run_record(std::string_view bytes, std::string_view run_id);

}  // namespace filecall::client
