// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "loop/loop_timer.h"
#include "worker/exec/kube/kube_run.h"

namespace filecall::worker::kube {

/// Which objects are looked at: one by its name, or those that fit a label selector.
struct Watched {
  Resource resource;
  std::string name_space;
  std::string name;
  std::string label_selector;
};

/// The events of one command, over all of its watches: a server that sends without end must not
/// keep a worker busy until the time is over.
struct EventCount {
  int changes = 0;
  int others = 0;  ///< Bookmarks, and what nobody knows. Servers send one a minute.
};
/// Counts an event. False: these are more than any good server sends. Pure.
bool count_event(EventCount& count, bool is_change);

/// A command that looks at objects until something holds or its time is over: one list, and one
/// watch from the state of that list on. Where the server ends the watch it is begun again from the
/// last version seen; where it does not know that version any more (410) or the connection broke,
/// from a new list. There is no polling: what ends again and again without an event is given up.
/// Loop thread only.
class WatchRun : public KubeRun {
 public:
  using KubeRun::KubeRun;

 protected:
  /// The time of the whole command begins, with what is read before the list; first of all. Its end
  /// ends whatever is under way and calls conclude(false). `time_max` zero: there is only the list,
  /// bounded as any request.
  void begin_time(Duration time_max);
  void follow(Watched watched);
  /// Since begin_time().
  Duration elapsed() const;

  /// Everything there is now, as items of a list. True: enough.
  virtual bool take_list(const Json& items) = 0;
  /// ADDED, MODIFIED or DELETED. True: enough. Must not end the command: conclude() does.
  virtual bool take_change(std::string_view type, const Json& object) = 0;
  /// The end: something was enough, or the time is over, perhaps before anything was read.
  virtual void conclude(bool is_enough) = 0;
  /// Ends the command as `failure`, adding what was seen.
  virtual void give_up(Failure failure) = 0;

 private:
  void end_in_time();
  void list();
  void watch();
  /// Whether it bears the name that is looked at.
  bool is_asked(const Json& object) const;
  Json asked_of(const Json& items) const;
  bool take_event(ApiReply& reply);
  void take_end(ApiAnswer answer);

  Watched watched_;
  MonotonicTime began_{};
  Deadline deadline_;
  std::optional<LoopTimer> timer_;
  std::string version_;  ///< Of what was seen last.
  MonotonicTime watch_began_{};
  int quick_ends_ = 0;
  int watches_ = 0;
  EventCount events_;
  bool has_event_ = false;
  bool is_enough_ = false;
  std::optional<Failure> problem_;  ///< An ERROR event.
};

/// What follows the end of a watch.
enum class AfterWatch : std::uint8_t { kWatch, kList, kTimeUp, kGiveUp };
struct WatchEnd {
  bool is_time_up = false;
  bool has_event = false;  ///< Something came through it.
  Duration lasted{};
  const Failure* problem = nullptr;  ///< Null: the server ended it in good order.
};
/// `quick_ends`: how many ended at once, without an event, before; kept for the next call. Pure.
AfterWatch after_watch(const WatchEnd& end, int& quick_ends);

}  // namespace filecall::worker::kube
