// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "os/clock.h"
#include "os/unique_fd.h"
#include "spool/root.h"
#include "spool/root_medium.h"
#include "spool/root_reader.h"

namespace filecall::spool {

/// A fresh directory (on tmpfs where there is one), removed with everything in it.
class TemporaryRoot {
 public:
  TemporaryRoot() {
    std::string pattern =
        std::filesystem::exists("/dev/shm") ? "/dev/shm/spool-XXXXXX" : "/tmp/spool-XXXXXX";
    CHECK(::mkdtemp(pattern.data()) != nullptr, "a test needs a directory");
    path_ = pattern;
  }
  ~TemporaryRoot() { std::filesystem::remove_all(path_); }
  TemporaryRoot(const TemporaryRoot&) = delete;
  TemporaryRoot& operator=(const TemporaryRoot&) = delete;

  const std::string& path() const { return path_; }
  Layout layout() const { return Layout(path_); }
  Root open() const {
    auto root = Root::open(path_, {});
    CHECK(root.has_value(), "a fresh root opens");
    return std::move(root).value();
  }

 private:
  std::string path_;
};

inline void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

inline std::string request_text(const std::string& stem) {
  return R"({"request_id":")" + stem + R"(","command":"system.echo","params":{}})";
}

inline std::size_t count_entries(const std::string& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), {}));
}

/// The whole way of a group.
inline void commit_group(Medium& medium, std::span<PendingWrite> writes) {
  for (PendingWrite& write : writes) medium.stage(write);
  medium.log(writes);
  medium.publish_logged(writes);
}

/// A root's medium after an earlier run was cleaned up, and what that left.
struct OpenMedium {
  OpenMedium(const TemporaryRoot& where, Durability durability)
      : root(where.open()), medium(root, durability) {
    auto left = medium.recover();
    CHECK(left.has_value(), "the medium of a root opens");
    interrupted = std::move(left).value();
  }

  Root root;
  RootMedium medium;
  std::vector<StartRecordName> interrupted;
};

/// Drives a reader the way a worker's loop does, and writes the answers.
class ReaderDriver {
 public:
  explicit ReaderDriver(const TemporaryRoot& root, RootReaderOptions options = defaults(),
                        Durability durability = Durability::kNone)
      : files_(root, durability), reader_(files_.root, options, [this](std::string_view stem) {
          if (!reader_.is_held(stem) && !reader_.is_answered(stem)) medium().note_withdrawn(stem);
        }) {}

  static RootReaderOptions defaults() {
    RootReaderOptions options;
    options.settle = milliseconds(40);
    options.poll_period = milliseconds(5);
    return options;
  }

  RootReader& reader() { return reader_; }
  RootMedium& medium() { return files_.medium; }
  /// Everything handed out so far, how often, and the last content.
  std::map<std::string, int>& taken() { return taken_; }
  std::map<std::string, Arrival>& last() { return last_; }

  /// One turn; waits at most `patience` for something to happen.
  void turn(Duration patience) {
    MonotonicTime now = monotonic_now();
    const auto left = std::min(patience, reader_.next_wake().time_left(now));
    struct pollfd entry {
      reader_.poll_fd(), POLLIN, 0
    };
    const auto wait_ms = left == Duration::zero() ? 0 : static_cast<int>(to_ms(left)) + 1;
    if (::poll(&entry, 1, wait_ms) > 0) reader_.on_readable();
    now = monotonic_now();
    if (reader_.next_wake().is_reached(now)) reader_.on_wake(now);
    while (auto arrival = reader_.next(now)) {
      ++taken_[arrival->stem];
      const std::string stem = arrival->stem;
      last_.insert_or_assign(stem, std::move(*arrival));
    }
  }

  template <typename Condition>
  bool until(Condition&& condition, Duration limit = seconds(5)) {
    const Deadline deadline = Deadline::after(monotonic_now(), limit);
    while (!condition()) {
      if (deadline.is_reached(monotonic_now())) return false;
      turn(milliseconds(10));
    }
    return true;
  }
  bool until_taken(const std::string& stem, int times = 1) {
    return until([&] { return taken_[stem] >= times; });
  }
  bool until_drained() {
    return until([&] { return reader_.is_drained(); });
  }
  /// Lets time pass; what must not happen has not happened after it.
  void run_for(Duration duration) {
    const Deadline deadline = Deadline::after(monotonic_now(), duration);
    while (!deadline.is_reached(monotonic_now())) turn(milliseconds(2));
  }
  bool is_fault(const std::string& stem) const { return !last_.at(stem).content; }
  void answer(const std::string& stem) {
    CHECK(medium().publish(stem, R"({"status":"success"})", {}).has_value(), "publishing works");
    reader_.release(stem, true);
  }

 private:
  OpenMedium files_;
  RootReader reader_;
  std::map<std::string, int> taken_;
  std::map<std::string, Arrival> last_;
};

}  // namespace filecall::spool
