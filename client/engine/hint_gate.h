// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "client/channel/request_channel.h"
#include "os/unique_fd.h"

namespace filecall::client {

/// What a driver wakes for: its desk at once, the channel's hints at once or gathered. One thread.
class HintGate {
 public:
  /// `channel` must outlive it.
  explicit HintGate(RequestChannel& channel) : channel_(channel) {}
  /// After the channel listens. Failure: no descriptor is left.
  Result<void> open(int desk_fd);

  /// Readable when the desk or an awaited hint is there; -1: neither has a descriptor.
  int poll_fd() const { return poll_fd_.get(); }
  Deadline next_wake() const;
  std::vector<ChannelHint> take(MonotonicTime now);
  /// While gathering, hints alone wake nobody for a moment.
  void gather(bool is_gathering, MonotonicTime now);

 private:
  RequestChannel& channel_;
  UniqueFd poll_fd_;  ///< An epoll over both.
  bool is_gathering_ = false;
  MonotonicTime next_take_{};
};

}  // namespace filecall::client
