// SPDX-License-Identifier: MIT
#include "client/service/answer_look.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/response.h"
#include "os/io.h"
#include "os/unique_fd.h"
#include "spool/client_files.h"
#include "spool/identify.h"
#include "spool/layout.h"
#include "spool/own_response.h"

namespace filecall::client {
namespace {

/// Holds nearly every answer that is no text of a model.
constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kTailBytes = 2;

AnswerLook parse_whole(const spool::Directories& directories, std::string_view stem) {
  const auto file = spool::read_response_file(directories, stem);
  if (!file || !*file) return {};
  const auto response =
      spool::read_own_response(directories, (*file)->bytes, stem, AskedBy::kReader);
  if (!response) return {};
  return {response->is_success() ? AnswerKind::kSuccess : AnswerKind::kError, (*file)->identity};
}

}  // namespace

AnswerKind kind_by_form(std::string_view head, std::string_view tail, std::string_view stem) {
  thread_local std::string begin;
  begin = "{\"request_id\":";
  append_json_string(begin, stem);
  begin += ",\"status\":\"";
  if (!head.starts_with(begin) || !tail.ends_with("}\n")) return AnswerKind::kNone;
  head.remove_prefix(begin.size());
  if (head.starts_with("success\",\"data\":")) return AnswerKind::kSuccess;
  if (head.starts_with("error\",\"error_message\":\"")) return AnswerKind::kError;
  return AnswerKind::kNone;
}

AnswerLook look_at_answer(const spool::Directories& directories, std::string_view stem) {
  const std::string name = spool::Layout::file_name(stem);
  const UniqueFd fd(::openat(directories.responses.get(), name.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  std::array<char, kHeadBytes> head;
  const ssize_t got = ::read(fd.get(), head.data(), head.size());
  // In a group's root it matters whom it answers.
  if (directories.user || got < 0 || info.st_size > static_cast<off_t>(limits::kResponseBytesMax)) {
    return parse_whole(directories, stem);
  }
  const std::string_view begin(head.data(), static_cast<std::size_t>(got));
  std::array<char, kTailBytes> end;
  std::string_view tail = begin;
  if (info.st_size > got) {
    const ssize_t left =
        ::pread(fd.get(), end.data(), end.size(), info.st_size - static_cast<off_t>(kTailBytes));
    tail = {end.data(), static_cast<std::size_t>(left > 0 ? left : 0)};
  }
  const AnswerKind kind = kind_by_form(begin, tail, stem);
  if (kind == AnswerKind::kNone) return parse_whole(directories, stem);
  return {kind, spool::identify(info)};
}

}  // namespace filecall::client
