// SPDX-License-Identifier: MIT
#include "client/report/outcome_files.h"

#include "ipc/limits.h"
#include "ipc/request.h"
#include "os/regular_file.h"

namespace filecall::client {
Json request_metadata(const spool::Layout& layout, const std::string& request_id) {
  const auto bytes = read_regular_file(layout.request(request_id), limits::kRequestBytesMax);
  if (!bytes) return nullptr;
  const auto parsed = parse_json_strict(*bytes, limits::kDepthMax);
  return parsed && parsed->is_object() ? parsed->value("metadata", Json()) : Json();
}

}  // namespace filecall::client
