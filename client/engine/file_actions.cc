// SPDX-License-Identifier: MIT
#include "client/engine/file_actions.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>

#include "base/hash.h"
#include "base/stem.h"
#include "client/engine/flight.h"
#include "ipc/request.h"
#include "ipc/response.h"
#include "spool/drop.h"
#include "spool/layout.h"

namespace filecall::client {

std::string cancel_id(std::string_view id, int attempt) {
  const std::string suffix = fmt::format(".cancel-{}", attempt);
  if (id.size() + suffix.size() <= kStemBytesMax) return std::string(id) + suffix;
  // Only the hash: cutting the id could cut a character in half.
  return hash128(id).hex() + suffix;
}

RequestRow cancel_row(std::string_view id, int attempt, WallTime now) {
  RequestRow row;
  row.request_id = cancel_id(id, attempt);
  row.command = "system.cancel";
  row.progress.state = RequestState::kSuccess;
  row.progress.attempt = 1;
  row.progress.changed_at = now;
  row.submitted_at = now;
  row.finished_at = now;
  row.is_control = true;
  return row;
}

Result<void> send_cancel(const spool::Root& root, std::string_view id, int attempt,
                         spool::Durability durability) {
  Request request;
  request.request_id = cancel_id(id, attempt);
  request.command = "system.cancel";
  request.params = Json{{"request_id", std::string(id)}};
  request.priority = limits::kPriorityMax;
  TRY(spool::drop_request(*root.directories(), request.request_id, render_request(request),
                          durability));
  return {};
}

Result<bool> copy_response(const spool::Root& root, std::string_view id,
                           spool::Durability durability) {
  const auto directories = root.directories();
  auto file = spool::read_response_file(*directories, id);
  if (!file || !*file || !parse_response((*file)->bytes, id)) return false;
  TRY(spool::copy_to_failed(*directories, id, (*file)->bytes, durability));
  return true;
}

Result<void> write_own_failure(const spool::Root& root, const RequestRow& row,
                               spool::Durability durability) {
  Failure failure;
  failure.code = row.progress.error_code.value_or(ErrorCode::kUnknown);
  failure.message = row.progress.error_message;
  failure.retryable = false;
  failure.details = Json{{"attempts", row.progress.attempt}, {"written_by", "filecall"}};
  Response response;
  response.request_id = row.request_id;
  response.failure = std::move(failure);
  return spool::copy_to_failed(*root.directories(), row.request_id, render_response(response),
                               durability);
}

Result<bool> set_aside_response(const spool::Root& root, std::string_view id,
                                const ResponseVersion& version, int attempt,
                                spool::Durability durability) {
  const auto directories = root.directories();
  TRY_ASSIGN(const auto file, spool::read_response_file(*directories, id));
  if (!file || to_version(file->identity) != version) return false;
  TRY(spool::replace_file(directories->failed.get(), spool::Layout::unreadable_name(id, attempt),
                          file->bytes, durability));
  return true;
}

Result<void> remove_failed_copy(const spool::Root& root, std::string_view id) {
  const std::string name = spool::Layout::file_name(id);
  if (::unlinkat(root.directories()->failed.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, "failed/" + name);
  }
  return {};
}

}  // namespace filecall::client
