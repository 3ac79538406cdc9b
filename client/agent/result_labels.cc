// SPDX-License-Identifier: MIT
#include "client/agent/result_labels.h"

#include <fcntl.h>

#include "client/agent/core/agent_ids.h"
#include "client/agent/core/record_member.h"
#include "ipc/json.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/publish.h"

namespace filecall::client {

Result<void> correct_result_labels(const spool::Layout& layout, const std::string& id,
                                   std::string_view request, Durability durability) {
  const auto there = read_regular_file(layout.request(id), limits::kRequestBytesMax);
  if (!there && there.error().code == ErrorCode::kNotFound) return {};
  if (!there) return Unexpected(there.error());
  Json kept = Json::parse(*there, nullptr, false);
  const Json now = Json::parse(request, nullptr, false);
  const bool is_it = kept.is_object() && text_at(kept, "command") == text_at(now, "command");
  if (!is_it || value_at(kept, "metadata") == value_at(now, "metadata")) return {};
  kept["metadata"] = value_at(now, "metadata");
  TRY_ASSIGN(const UniqueFd folder,
             open_file(layout.requests(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return spool::replace_file(folder.get(), spool::Layout::file_name(id), dump_json(kept) + "\n",
                             durability);
}

Json task_of_run(const spool::Layout& layout, const std::string& run, const AgentState& state) {
  Json task = state.settings().task;
  if (!task.is_object()) return Json::object();
  for (int round = state.continuations() + 1; round > 0; --round) {
    const auto bytes =
        read_regular_file(layout.request(agent_ids::result(run, round)), limits::kRequestBytesMax);
    if (!bytes) continue;
    const Json request = Json::parse(*bytes, nullptr, false);
    const Json& vars = value_at(value_at(request, "metadata"), "vars");
    if (vars.is_object()) task["vars"] = vars;
    break;
  }
  return task;
}

}  // namespace filecall::client
