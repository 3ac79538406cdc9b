// SPDX-License-Identifier: MIT
#include "client/eval/runner/record_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "ipc/durability.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/lock.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

/// Another evaluation holds the lock for one small write.
constexpr Duration kLockPatience = seconds(30);
constexpr int kSetAsideMax = 1000;

}  // namespace

RecordFiles::RecordFiles(spool::Layout layout, UniqueFd directory,
                         std::function<void(const std::string&)> on_notice)
    : layout_(std::move(layout)),
      directory_(std::move(directory)),
      on_notice_(std::move(on_notice)) {}

Result<RecordFiles> RecordFiles::open(const spool::Layout& layout,
                                      std::function<void(const std::string&)> on_notice) {
  TRY(make_directories(layout.eval()));
  TRY(make_directories(layout.client()));
  TRY_ASSIGN(UniqueFd directory, open_file(layout.eval(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return RecordFiles(layout, std::move(directory), std::move(on_notice));
}

/// Empty: there is no file.
Result<std::string> RecordFiles::read(std::string_view id) const {
  auto fd = open_regular(layout_.eval(id), O_RDONLY);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return std::string();
  if (!fd) return Unexpected(fd.error());
  return read_all(fd->get(), limits::kResponseBytesMax, layout_.eval(id));
}

Result<std::optional<Evaluation>> RecordFiles::find(std::string_view id,
                                                    std::string_view name) const {
  TRY_ASSIGN(const std::string bytes, read(id));
  if (bytes.empty()) return std::optional<Evaluation>();
  auto record = parse_evaluation_record(bytes, id);
  if (!record) return std::optional<Evaluation>();  // put() sets it aside.
  const auto found = record->evaluations.find(name);
  if (found == record->evaluations.end()) return std::optional<Evaluation>();
  return std::optional(std::move(found->second));
}

Result<void> RecordFiles::set_aside(std::string_view id, const Error& error) const {
  const std::string from = spool::Layout::file_name(id);
  for (int number = 1; number <= kSetAsideMax; ++number) {
    const std::string to = spool::Layout::unreadable_name(id, number);
    const int fd = directory_.get();
    if (::renameat2(fd, from.c_str(), fd, to.c_str(), RENAME_NOREPLACE) == 0) {
      on_notice_(fmt::format("{}; the file was kept as eval/{}", error.message, to));
      return {};
    }
    if (errno != EEXIST) return fail_errno(errno, layout_.eval(id) + ": rename");
  }
  return fail(ErrorCode::kResourceExhausted,
              layout_.eval(id) + ": unreadable, and so were many before it; look at them");
}

Result<void> RecordFiles::put(std::string_view id, std::string_view name,
                              const Evaluation& evaluation) {
  TRY_ASSIGN(const spool::FileLock lock,
             spool::FileLock::acquire(layout_.client_eval_lock(), kLockPatience));
  TRY_ASSIGN(std::string bytes, read(id));
  auto text = put_evaluation(bytes, id, name, evaluation);
  if (!text) {
    TRY(set_aside(id, text.error()));
    bytes.clear();
    text = put_evaluation(bytes, id, name, evaluation);
  }
  if (!text) return Unexpected(text.error());
  return spool::replace_file(directory_.get(), spool::Layout::file_name(id), *text,
                             bytes.empty() ? Durability::kNone : Durability::kFile);
}

Result<void> RecordFiles::sync() const {
  if (::syncfs(directory_.get()) != 0) return fail_errno(errno, layout_.eval() + ": syncfs");
  return {};
}

}  // namespace filecall::client
