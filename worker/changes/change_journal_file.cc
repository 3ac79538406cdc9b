// SPDX-License-Identifier: MIT
#include "worker/changes/change_journal_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/stem.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "worker/changes/step_files.h"

namespace filecall::worker::changes {
namespace {

constexpr std::string_view kSuffix = ".jsonl";
/// Of a record: the answer with old and new contents, which a response may be as large as.
constexpr std::size_t kRecordBytesMax = std::size_t{1} << 30;

std::string path_of(const std::string& folder, std::string_view request_id) {
  return fmt::format("{}/{}{}", folder, request_id, kSuffix);
}

Result<UniqueFd> open_folder(const std::string& folder) {
  return open_file(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/// The folder's own name is durable once it has been made.
Result<void> make_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0) {
    if (errno == EEXIST) return {};
    return fail_errno(errno, folder);
  }
  TRY_ASSIGN(const UniqueFd above, open_folder(folder.substr(0, folder.rfind('/'))));
  return sync_entries(above.get(), folder);
}

Result<void> write_durably(int fd, const std::string& text, const std::string& path) {
  TRY(write_all(fd, text, path));
  if (::fsync(fd) != 0) return fail_errno(errno, path);
  return {};
}

Result<void> write_draft(int directory, const std::string& name, const std::string& text,
                         const std::string& path) {
  TRY_ASSIGN(const UniqueFd file,
             open_regular_at(directory, name, O_WRONLY | O_CREAT | O_TRUNC, "changes"));
  return write_durably(file.get(), text, path);
}

}  // namespace

Result<ChangeJournalFile> ChangeJournalFile::begin(const std::string& folder,
                                                   const ChangeSet& set) {
  TRY(make_folder(folder));
  const std::string path = path_of(folder, set.request_id);
  if (const auto earlier = open(folder, set.request_id)) {
    if (!earlier->record().end) {
      return fail(ErrorCode::kAlreadyExists,
                  fmt::format("{}: changes of this request have not ended", path));
    }
    TRY(remove_record(folder, set.request_id));
  }
  TRY_ASSIGN(const UniqueFd directory, open_folder(folder));
  const std::string name = path.substr(folder.size() + 1);
  // Under a name that no reader takes for a record until it is whole.
  const std::string draft = "." + name;
  auto written = write_draft(directory.get(), draft, intent_line(set), path);
  if (written && ::renameat(directory.get(), draft.c_str(), directory.get(), name.c_str()) != 0) {
    written = fail_errno(errno, path);
  }
  if (!written) {
    ::unlinkat(directory.get(), draft.c_str(), 0);
    return Unexpected(std::move(written).error());
  }
  if (auto synced = sync_entries(directory.get(), folder); !synced) {
    ::unlinkat(directory.get(), name.c_str(), 0);
    return Unexpected(std::move(synced).error());
  }
  return ChangeJournalFile(path, ChangeRecord{set, std::nullopt, {}});
}

Result<ChangeJournalFile> ChangeJournalFile::open(const std::string& folder,
                                                  std::string_view request_id) {
  const std::string path = path_of(folder, request_id);
  TRY_ASSIGN(const std::string text, read_regular_file(path, kRecordBytesMax));
  auto record = read_change_record(text);
  if (!record) {
    return fail(record.error().code, fmt::format("{}: {}", path, record.error().message));
  }
  return ChangeJournalFile(path, *std::move(record));
}

Result<void> ChangeJournalFile::end(ChangeEnd how, std::vector<std::string> files) {
  TRY_ASSIGN(const UniqueFd file, open_regular(path_, O_WRONLY | O_APPEND));
  // What an earlier end left torn ends with this line feed.
  TRY(write_durably(file.get(), "\n" + end_line(how, files), path_));
  record_.end = how;
  record_.files = std::move(files);
  return {};
}

Result<void> remove_record(const std::string& folder, std::string_view request_id) {
  const std::string path = path_of(folder, request_id);
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return {};
    return fail_errno(errno, path);
  }
  TRY_ASSIGN(const UniqueFd directory, open_folder(folder));
  return sync_entries(directory.get(), folder);
}

bool has_record(const std::string& folder, std::string_view request_id) {
  return ::access(path_of(folder, request_id).c_str(), F_OK) == 0;
}

Result<std::vector<std::string>> requests_with_records(const std::string& folder) {
  std::vector<std::string> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), &::closedir);
  if (stream == nullptr) {
    if (errno == ENOENT) return found;
    return fail_errno(errno, folder);
  }
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    std::string_view name = entry->d_name;
    errno = 0;
    if (!name.ends_with(kSuffix)) continue;
    name.remove_suffix(kSuffix.size());
    if (is_valid_stem(name)) {
      found.emplace_back(name);
    } else if (name.starts_with('.') && is_valid_stem(name.substr(1))) {
      // A draft, of which nothing was begun.
      ::unlinkat(::dirfd(stream.get()), entry->d_name, 0);
      errno = 0;
    }
  }
  if (errno != 0) return fail_errno(errno, folder);
  std::ranges::sort(found);
  return found;
}

}  // namespace filecall::worker::changes
