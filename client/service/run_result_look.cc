// SPDX-License-Identifier: MIT
#include "client/service/run_result_look.h"

#include <string_view>

#include "client/core/result_round.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

constexpr std::string_view kCommand = "system.echo";

/// Any request may be named like a result. Of one whose file is gone its name is all there is.
bool is_of_run(const spool::Layout& layout, const RequestEntry& entry, std::string_view run) {
  if (!entry.command.empty() && entry.command != kCommand) return false;
  const auto bytes = read_regular_file(layout.request(entry.request_id), limits::kRequestBytesMax);
  if (!bytes) return true;
  const auto request =
      parse_request(*bytes, entry.request_id, {.bytes_max = limits::kRequestBytesMax});
  if (!request || request->command != kCommand || !request->metadata.is_object()) return false;
  const auto said = request->metadata.find("agent_run");
  return said != request->metadata.end() && *said == run;
}

}  // namespace

Result<RunResultLook> look_at_run_result(Ledger& ledger, const spool::Layout& layout,
                                         const RequestEntry& entry) {
  RunResultLook look;
  const auto name = result_round(entry.request_id);
  if (!name) return look;
  TRY_ASSIGN(const auto later, ledger.find(result_id(name->run, name->round + 1)));
  // One that was given up says nothing of the run.
  const bool has_later =
      later && later->state == RequestState::kSuccess && is_of_run(layout, *later, name->run);
  if (!has_later && name->round == 1) return look;
  if (!is_of_run(layout, entry, name->run)) return look;
  look.is_superseded = has_later;
  if (name->round > 1) look.first_id = result_id(name->run, 1);
  return look;
}

}  // namespace filecall::client
