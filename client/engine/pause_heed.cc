// SPDX-License-Identifier: MIT
#include "client/engine/pause_heed.h"

#include <utility>

#include "base/shell_word.h"
#include "os/clock.h"

namespace filecall::client {
namespace {

constexpr Duration kPausesEvery = milliseconds(300);

}  // namespace

std::optional<std::string> PauseHeed::look(Driver& driver, Intake& intake, MonotonicTime now) {
  if (now < next_look_) return std::nullopt;
  next_look_ = now + kPausesEvery;
  const bool was_batch_paused = is_batch_paused();
  const bool was_paused = look_.set().holds_worker() || was_batch_paused;
  // The driver may remember an earlier run's.
  const bool is_first = !std::exchange(has_looked_, true);
  const WallTime looked = wall_now();
  const WallTime unchanged_at = std::exchange(last_look_, looked);
  const WallTime changed_before = look_.changed_at();
  const bool is_other_set = look_.refresh(looked);
  // A pause that ended and began again between two looks let something begin, too.
  const bool is_touched = look_.changed_at() != changed_before;
  if (!is_other_set && !is_touched && !is_first) return std::nullopt;
  const spool::PauseSet& set = look_.set();
  driver.set_paused(set.holds_worker(), unchanged_at, now);
  if (!is_other_set && !is_first) return std::nullopt;
  intake.set_paused(is_batch_paused());
  if (is_batch_paused()) {
    if (was_batch_paused) return std::nullopt;
    return "paused: the batch; it goes on after 'filecall resume --batch " + shell_word(batch_) +
           "'";
  }
  if (set.everything) {
    return "paused: the root; what waits goes on after 'filecall resume'";
  }
  if (!set.destinations.empty()) {
    const spool::HeldNames held = spool::held_names(set, spool::kNamedPausesMax);
    std::string words;
    for (const std::string& name : held.first) words += " " + shell_word(name);
    if (held.count > held.first.size()) words = " --all";
    return "paused: " + spool::held_text(held) +
           "; what waits for it goes on after 'filecall resume" + words + "'";
  }
  return was_paused ? std::optional<std::string>("resumed") : std::nullopt;
}

std::string PauseHeed::label(std::string worker) const {
  const bool is_paused = is_batch_paused() || look_.set().holds_worker();
  if (is_paused && worker == "ready") worker = "paused";
  return worker;
}

}  // namespace filecall::client
