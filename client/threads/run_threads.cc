// SPDX-License-Identifier: MIT
#include "client/threads/run_threads.h"

#include <fmt/core.h>

#include "base/stem.h"
#include "base/utf8.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"
#include "os/regular_file.h"
#include "spool/own_directory.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

constexpr std::size_t kPlaceBytesMax = 4096;

Result<void> check_run_id(std::string_view run) {
  if (is_valid_stem(run)) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("run '{}': no valid id", sanitize_utf8(run.substr(0, 80))));
}

}  // namespace

Unexpected<Error> run_is_elsewhere(std::string_view run, std::string_view thread) {
  return fail(ErrorCode::kAlreadyExists,
              fmt::format("run {0}: it is in the thread {1}; 'filecall agent resume {0}' continues "
                          "it, and another --run begins another one",
                          run, thread));
}

Result<void> note_run_place(const spool::Layout& layout, std::string_view run,
                            const RunPlace& place, Durability durability) {
  TRY(check_run_id(run));
  TRY_ASSIGN(const UniqueFd folder, spool::open_own_directory(layout.threads_runs(), true));
  const Json json = {{"run", run}, {"thread", place.thread}, {"offset", place.offset}};
  const std::string bytes = dump_json(json) + "\n";
  const std::string name = spool::Layout::file_name(run);
  TRY_ASSIGN(const auto publication,
             spool::publish_new({.staging_fd = folder.get(),
                                 .temporary_name = spool::next_temporary_name(),
                                 .directory_fd = folder.get(),
                                 .name = name,
                                 .bytes = bytes,
                                 .durability = durability}));
  if (publication == spool::Publication::kPublished) {
    return durability == Durability::kNone ? Result<void>() : spool::sync_directory(folder.get());
  }
  const auto noted = find_run_place(layout, run);
  if (noted && *noted && (*noted)->thread != place.thread) {
    return run_is_elsewhere(run, (*noted)->thread);
  }
  // A note that says nothing is written again; one that cannot be read may say another thread.
  if (!noted && noted.error().code != ErrorCode::kDataLoss) return Unexpected(noted.error());
  return spool::replace_file(folder.get(), name, bytes, durability);
}

Result<std::optional<RunPlace>> find_run_place(const spool::Layout& layout, std::string_view run) {
  TRY(check_run_id(run));
  const auto folder = spool::open_own_directory(layout.threads_runs(), false);
  if (!folder && folder.error().code == ErrorCode::kNotFound) return std::optional<RunPlace>();
  if (!folder) return Unexpected(folder.error());
  const auto text = read_regular_file(layout.thread_of_run(run), kPlaceBytesMax);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::optional<RunPlace>();
  if (!text) return Unexpected(text.error());
  const auto json = parse_strict(*text, limits::kDepth, Strictness::kForeign, "place");
  const bool is_place = json && json->is_object() && json->contains("thread") &&
                        (*json)["thread"].is_string() && json->contains("offset") &&
                        (*json)["offset"].is_number_unsigned();
  RunPlace place;
  if (is_place)
    place = {(*json)["thread"].get<std::string>(), (*json)["offset"].get<std::int64_t>()};
  if (!is_place || !is_valid_stem(place.thread)) {
    return fail(ErrorCode::kDataLoss,
                layout.thread_of_run(run) + ": names no thread; remove it, and name the thread");
  }
  return std::optional(std::move(place));
}

Result<std::optional<std::string>> thread_of_run(const spool::Layout& layout,
                                                 std::string_view run) {
  TRY_ASSIGN(auto place, find_run_place(layout, run));
  if (!place) return std::optional<std::string>();
  return std::optional(std::move(place->thread));
}

}  // namespace filecall::client
