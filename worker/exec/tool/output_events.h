// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "worker/proc/child.h"

namespace filecall::worker {

/// Turns what a program writes into events of at most 16 KiB of it each:
/// {event: output, stream: stdout | stderr, offset, text}. `offset` counts the bytes of that stream
/// before it. A character that is cut by a read waits for its rest. A piece that is not UTF-8 is
/// base64, with `text_base64`: true. Order is that of append(). Pure.
class OutputEvents {
 public:
  struct Event {
    OutputSource source = OutputSource::kStdout;
    std::size_t bytes = 0;  ///< Of the output that it stands for.
    Json json;
  };

  void append(OutputSource source, std::string_view bytes);
  /// Bytes that take() would look at.
  std::size_t waiting() const { return waiting_; }
  /// Everything that came, but for characters that are not complete.
  std::vector<Event> take() { return take(false); }
  /// Those, too: no more comes.
  std::vector<Event> take_rest() { return take(true); }

 private:
  struct Part {
    OutputSource source;
    std::string bytes;
  };

  std::vector<Event> take(bool is_last);
  void cut(OutputSource source, std::string_view text, std::vector<Event>* events);

  std::vector<Part> parts_;
  std::size_t waiting_ = 0;
  /// By source: bytes of a character whose rest is missing, and how many bytes became events.
  std::array<std::string, 2> unfinished_;
  std::array<std::uint64_t, 2> offsets_{};
};

}  // namespace filecall::worker
