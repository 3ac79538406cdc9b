// SPDX-License-Identifier: MIT
#include "client/channel/directory_channel.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "client/channel/drop_crew.h"
#include "client/core/cancel_request.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/client_files.h"
#include "spool/layout.h"
#include "spool/own_response.h"
#include "spool/start_records.h"

namespace filecall::client {
namespace {

using spool::ResponseWatch;

AnswerVersion version_of(const spool::FileIdentity& identity) {
  return {identity.inode, {identity.mtime_ns, identity.size}, identity.is_restored};
}
spool::FileIdentity identity_of(const AnswerVersion& version) {
  return {version.copy, version.content[0], version.content[1]};
}

bool is_own(const spool::Directories& directories, std::string_view bytes, std::string_view id) {
  return spool::read_own_response(directories, bytes, id, AskedBy::kReader).has_value();
}
Response failure_of(std::string_view id, Error error) {
  Response response;
  response.request_id = std::string(id);
  response.failure = Failure::of(std::move(error));
  response.failure->retryable = false;
  return response;
}

bool is_about_space(std::string_view message) {
  return message.ends_with(::strerror(ENOSPC)) || message.ends_with(::strerror(EDQUOT));
}

/// The functions of files name a file within its folder. Who has to make room needs the place.
Error with_place(Error error, const std::string& root) {
  if (error.code != ErrorCode::kResourceExhausted) return error;
  const char* const advice =
      is_about_space(error.message) ? "; free some space there, then the same command goes on" : "";
  error.message = fmt::format("{}: {}{}", root, error.message, advice);
  return error;
}

template <typename T>
Result<T> with_place(Result<T> result, const std::string& root) {
  if (!result) return Unexpected(with_place(result.error(), root));
  return result;
}

}  // namespace

void DirectoryChannel::drop(std::span<ChannelDrop> drops) {
  drop_all(*root_.directories(), drops, durability_);
  for (ChannelDrop& drop : drops) {
    if (drop.error) drop.error = with_place(*std::move(drop.error), root_.layout().root());
  }
}

bool DirectoryChannel::has_request(std::string_view id) {
  return spool::has_request(*root_.directories(), id);
}

std::optional<WallTime> DirectoryChannel::begun_at(std::string_view id) {
  return spool::recorded_start(root_.layout(), id);
}

Result<std::optional<std::string>> DirectoryChannel::read_request(std::string_view id) {
  TRY_ASSIGN(auto file, spool::read_request_file(*root_.directories(), id));
  if (!file) return std::optional<std::string>();
  return std::optional(std::move(file->bytes));
}

Result<void> DirectoryChannel::send_cancel(std::string_view id, int attempt, CancelWish wish) {
  TRY(with_place(spool::drop_request(*root_.directories(), cancel_id(id, attempt, wish),
                                     cancel_request(id, attempt, wish), durability_),
                 root_.layout().root()));
  // Asked and answered before, of an attempt with the same number (a retry counts afresh): without
  // its answer it is pending again.
  const std::string control = cancel_id(id, attempt, wish);
  TRY_ASSIGN(const auto answer, read_answer(control));
  if (answer) TRY(discard_answer(control, answer->version));
  return {};
}

Result<std::optional<ChannelAnswer>> DirectoryChannel::read_answer(std::string_view id) {
  TRY_ASSIGN(const auto file, spool::read_response_file(*root_.directories(), id));
  if (!file) return std::optional<ChannelAnswer>();
  auto response = spool::read_own_response(*root_.directories(), file->bytes, id, AskedBy::kReader);
  // Asked again it would be no better, and would be done again.
  if (!response && response.error().code == ErrorCode::kFailedPrecondition) {
    response = failure_of(id, response.error());
  }
  return std::optional(ChannelAnswer{version_of(file->identity), std::move(response)});
}

bool DirectoryChannel::is_own_request(std::string_view id) {
  return spool::may_drive(*root_.directories(), id);
}

bool DirectoryChannel::asks_to_discard() const { return root_.directories()->is_members; }

Result<bool> DirectoryChannel::discard_answer(std::string_view id, const AnswerVersion& version) {
  if (asks_to_discard()) {
    const auto directories = root_.directories();
    TRY_ASSIGN(const auto there, spool::identify_response(*directories, id));
    if (!there) return true;
    if (*there != identity_of(version)) return false;
    TRY(with_place(spool::drop_request(*directories, discard_id(id, version),
                                       discard_request(id, version), durability_),
                   root_.layout().root()));
    return true;
  }
  TRY_ASSIGN(const auto deletion,
             spool::delete_response(*root_.directories(), id, identity_of(version)));
  return deletion != spool::Deletion::kOther;
}

Result<bool> DirectoryChannel::set_aside(std::string_view id, const AnswerVersion& version,
                                         int attempt) {
  const auto directories = root_.directories();
  TRY_ASSIGN(const auto file, spool::read_response_file(*directories, id));
  if (!file || version_of(file->identity) != version) return false;
  TRY(with_place(
      spool::replace_file(directories->failed.get(), spool::Layout::unreadable_name(id, attempt),
                          file->bytes, durability_),
      root_.layout().root()));
  return true;
}

Result<void> DirectoryChannel::keep_own_answer(std::string_view id, std::string_view text) {
  const std::string folder_name = root_.layout().client_answers();
  TRY(make_directories(folder_name));
  TRY_ASSIGN(const UniqueFd folder, open_file(folder_name, O_RDONLY | O_DIRECTORY));
  return with_place(
      spool::replace_file(folder.get(), spool::Layout::file_name(id), text, durability_),
      root_.layout().root());
}

bool DirectoryChannel::has_failed(std::string_view id) {
  return spool::has_failed(*root_.directories(), id);
}

std::optional<Response> DirectoryChannel::read_failed(std::string_view id) {
  const auto bytes = read_regular_file(root_.layout().failed(id), limits::kResponseBytesMax);
  auto response = bytes ? parse_response(*bytes, id) : Unexpected(bytes.error());
  return response ? std::optional(*std::move(response)) : std::nullopt;
}

Result<bool> DirectoryChannel::keep_answer_as_failed(std::string_view id) {
  const auto directories = root_.directories();
  auto file = spool::read_response_file(*directories, id);
  if (!file || !*file || !is_own(*directories, (*file)->bytes, id)) return false;
  TRY(with_place(spool::copy_to_failed(*directories, id, (*file)->bytes, durability_),
                 root_.layout().root()));
  return true;
}

Result<void> DirectoryChannel::keep_as_failed(const Response& failure) {
  return with_place(spool::copy_to_failed(*root_.directories(), failure.request_id,
                                          render_response(failure), durability_),
                    root_.layout().root());
}

Result<void> DirectoryChannel::remove_failed(std::string_view id) {
  const std::string name = spool::Layout::file_name(id);
  if (::unlinkat(root_.directories()->failed.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, "failed/" + name);
  }
  return {};
}

Result<void> DirectoryChannel::listen(bool follows_requests, Interest interest, MonotonicTime now) {
  const auto wanted = [interest = std::move(interest)](ResponseWatch::Place place,
                                                       std::string_view stem) {
    return interest(place == ResponseWatch::Place::kRequest, stem);
  };
  TRY_ASSIGN(watch_, ResponseWatch::open(root_, {.requests = follows_requests}, wanted, now));
  return {};
}

std::vector<ChannelHint> DirectoryChannel::take_hints() {
  std::vector<ChannelHint> hints;
  auto taken = watch_->take();
  hints.reserve(taken.hints.size());
  for (ResponseWatch::Hint& hint : taken.hints) {
    hints.push_back({std::move(hint.stem), hint.place == ResponseWatch::Place::kRequest});
  }
  return hints;
}

}  // namespace filecall::client
