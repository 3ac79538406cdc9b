// SPDX-License-Identifier: MIT
#pragma once

#include <sys/inotify.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall::spool {

/// The directories that are watched. The root too: a directory that is removed while somebody has
/// it open (as we do) tells nobody, but its parent does.
enum class Place : std::uint8_t { kRequests, kResponses, kRoot };
inline constexpr int kPlaceCount = 3;

struct WatchEvent {
  enum class Kind : std::uint8_t {
    kAppeared,  ///< Created, linked, written and closed, or moved in.
    kVanished,  ///< Deleted or moved out.
    kGone,      ///< The directory itself was moved, deleted or unmounted: watch it again.
    kOverflow,  ///< Events were lost (of either place): only a scan tells what.
  };
  Place place = Place::kRequests;
  Kind kind = Kind::kAppeared;
  std::string_view name;  ///< Empty for kGone and kOverflow. Valid during the visit.
};

/// What each program asks inotify for. A hard link and O_TMPFILE + linkat publish with CREATE
/// alone, writers in place with CLOSE_WRITE, renamers with MOVED_TO. As few as will do: each event
/// takes a place in the kernel's queue, and the queue overflows.
inline constexpr std::uint32_t kAppearedMask = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO;
inline constexpr std::uint32_t kVanishedMask = IN_DELETE | IN_MOVED_FROM;

/// An inotify instance with at most one watch for each place. One thread.
class Watch {
 public:
  static Result<Watch> open();

  int fd() const { return fd_.get(); }
  /// Watches an open directory, in the stead of what was watched at `place` before. `path` is used
  /// where /proc is not mounted.
  Result<void> add(Place place, int directory_fd, const std::string& path, std::uint32_t mask);

  /// Reads one buffer of events (64 KiB, some thousand events at most) without blocking and calls
  /// `visit(const WatchEvent&)` for each. False: there was nothing to read.
  template <typename Visit>
  bool read(Visit&& visit) {
    const std::size_t size = fill();
    for (std::size_t at = 0; at < size;) {
      const auto* raw = reinterpret_cast<const inotify_event*>(buffer_.get() + at);
      at += sizeof(inotify_event) + raw->len;
      WatchEvent event;
      if (decode(*raw, event)) visit(static_cast<const WatchEvent&>(event));
    }
    has_room_ = size + kEventBytesMax <= kBufferBytes;
    return size > 0;
  }
  /// The buffer read last had room for another event: then the kernel had no more when it was read.
  bool was_last() const { return has_room_; }

 private:
  static constexpr std::size_t kBufferBytes = 64 * 1024;
  static constexpr std::size_t kEventBytesMax = sizeof(inotify_event) + 256;  // NAME_MAX and a NUL.

  explicit Watch(UniqueFd fd);
  /// Bytes read into buffer_; 0 when nothing is there.
  std::size_t fill();
  /// False: of a watch that was replaced, or of a subdirectory.
  bool decode(const inotify_event& raw, WatchEvent& out) const;

  UniqueFd fd_;
  std::array<int, kPlaceCount> descriptors_ = {-1, -1, -1};
  bool has_room_ = false;
  std::unique_ptr<char[]> buffer_;  // new[] aligns it for any event.
};

}  // namespace filecall::spool
