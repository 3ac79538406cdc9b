// SPDX-License-Identifier: MIT
#include "worker/engine/event_file.h"

#include <fcntl.h>

#include <string>
#include <utility>

#include "base/log.h"
#include "ipc/limits.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/regular_file.h"

namespace filecall::worker {
namespace {

/// Kept for the line that says that no more comes.
constexpr std::size_t kLastLineBytes = 128;

class EventFile final : public EventSink {
 public:
  EventFile(UniqueFd file, std::string stem) : file_(std::move(file)), stem_(std::move(stem)) {}

  void write(const Json& event) override {
    if (!file_.is_open()) return;
    if (append(event)) return;
    append({{"event", "truncated"}});
    file_.reset();
  }

 private:
  /// Straight into the page cache, never synced: events are for watching, and what counts is
  /// in the response.
  /// False: it has no room within the bound, and was not written.
  bool append(Json event) {
    event["time"] = format_rfc3339(wall_now());
    const std::string line = dump_json(event) + "\n";
    const std::size_t room = limits::kEventsBytesMax - bytes_;
    const bool is_last = event["event"] == "truncated";
    if (!is_last && line.size() + kLastLineBytes > room) return false;
    bytes_ += line.size();
    if (const auto written = write_all(file_.get(), line, "events"); !written) {
      log_warn("{}: no more events: {}", stem_, written.error().message);
      file_.reset();
    }
    return true;
  }

  UniqueFd file_;
  std::string stem_;
  std::size_t bytes_ = 0;
};

Result<UniqueFd> open_events(const spool::Layout& layout, std::string_view stem) {
  TRY(make_directories(layout.events()));
  TRY_ASSIGN(const UniqueFd folder,
             open_file(layout.events(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  const std::string name = layout.events(stem).substr(layout.events().size() + 1);
  return open_regular_at(folder.get(), name, O_WRONLY | O_CREAT | O_APPEND, "events");
}

}  // namespace

std::unique_ptr<EventSink> open_event_file(const spool::Layout& layout, std::string_view stem) {
  auto file = open_events(layout, stem);
  if (!file) {
    log_warn("{}: no events: {}", stem, file.error().message);
    return nullptr;
  }
  return std::make_unique<EventFile>(std::move(*file), std::string(stem));
}

}  // namespace filecall::worker
