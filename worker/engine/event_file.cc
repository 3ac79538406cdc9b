// SPDX-License-Identifier: MIT
#include "worker/engine/event_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/log.h"
#include "ipc/limits.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/publish.h"

namespace filecall::worker {
namespace {

/// Kept for the lines that say that no more comes, and how it ended.
constexpr std::size_t kLastLinesBytes = 2048;

/// Of an execution's end: short, and written after everything else was too much.
bool is_of_the_end(const Json& event) {
  const auto name = event.find("event");
  return name != event.end() && (*name == "truncated" || *name == "exited" || *name == "finished" ||
                                 *name == "given_back");
}

class EventFile final : public EventSink {
 public:
  EventFile(UniqueFd file, off_t size, std::string stem)
      : file_(std::move(file)), size_(size), stem_(std::move(stem)) {}

  bool write(const Json& event) override {
    if (!file_.is_open()) return false;
    const bool is_last = is_of_the_end(event);
    if (is_truncated_ && !is_last) return false;
    if (append(event, is_last ? 0 : kLastLinesBytes)) return true;
    if (!is_truncated_) append({{"event", "truncated"}}, 0);
    is_truncated_ = true;
    return false;
  }

 private:
  /// Straight into the page cache, never synced: events are for watching, and what counts is
  /// in the response. False: it was not written.
  bool append(Json event, std::size_t reserved_bytes) {
    event["seq"] = sequence_ + 1;
    event["time"] = format_rfc3339(wall_now());
    const std::string line = dump_json(event) + "\n";
    if (line.size() + reserved_bytes > limits::kEventsBytesMax - bytes_) return false;
    if (const auto written = write_all(file_.get(), line, "events"); !written) {
      // No reader takes a part of a line for a line; the next one begins where this one did.
      (void)::ftruncate(file_.get(), size_);
      log_warn("{}: no more events: {}", stem_, written.error().message);
      file_.reset();
      return false;
    }
    ++sequence_;
    bytes_ += line.size();
    size_ += static_cast<off_t>(line.size());
    return true;
  }

  UniqueFd file_;
  off_t size_;  ///< Of the file: only this worker writes to it.
  std::string stem_;
  std::size_t bytes_ = 0;  ///< Of this execution.
  std::int64_t sequence_ = 0;
  bool is_truncated_ = false;
};

/// Cuts what a killed worker left of a line. The file's size then.
Result<off_t> end_at_a_line(int file) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return fail_errno(errno, "events");
  off_t end = info.st_size;
  char bytes[4096];
  while (end > 0) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(sizeof bytes));
    const ssize_t size = ::pread(file, bytes, static_cast<std::size_t>(end - begin), begin);
    if (size < end - begin) break;
    const std::string_view block(bytes, static_cast<std::size_t>(size));
    const std::size_t newline = block.rfind('\n');
    end = newline == block.npos ? begin : begin + static_cast<off_t>(newline) + 1;
    if (newline != block.npos) break;
  }
  if (end < info.st_size && ::ftruncate(file, end) != 0) return fail_errno(errno, "events");
  return end;
}

Result<UniqueFd> open_events(const spool::Layout& layout, std::string_view stem, mode_t mode) {
  TRY(make_directories(layout.events()));
  TRY_ASSIGN(const UniqueFd folder,
             open_file(layout.events(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  const std::string name = layout.events(stem).substr(layout.events().size() + 1);
  TRY_ASSIGN(UniqueFd file,
             open_regular_at(folder.get(), name, O_RDWR | O_CREAT | O_APPEND, "events"));
  TRY(spool::set_file_mode(file.get(), mode, "events/" + name));
  return file;
}

}  // namespace

std::unique_ptr<EventSink> open_event_file(const spool::Layout& layout, std::string_view stem,
                                           mode_t mode) {
  auto file = open_events(layout, stem, mode);
  if (!file) {
    log_warn("{}: no events: {}", stem, file.error().message);
    return nullptr;
  }
  const auto size = end_at_a_line(file->get());
  if (!size) {
    log_warn("{}: no events: {}", stem, size.error().message);
    return nullptr;
  }
  return std::make_unique<EventFile>(std::move(*file), *size, std::string(stem));
}

}  // namespace filecall::worker
