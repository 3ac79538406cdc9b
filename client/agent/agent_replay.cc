// SPDX-License-Identifier: MIT
#include "client/agent/agent_replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/time.h"
#include "client/agent/core/record_member.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

WallTime written_at(const ThreadRecord& record) {
  return parse_rfc3339(record.at).value_or(WallTime{});
}

/// What of a record must be the same. An approval's request has its time and digest in it.
Json compared(const std::string& type, Json data) {
  if (type == "approval.asked") {
    data.erase("request");
    data.erase("digest");
  }
  if (type == "call.decided") data.erase("reasons");
  return data;
}

/// What a resume writes, in this order; none of them is always there.
const std::map<std::string, int, std::less<>> kResumeRecords = {
    {"run.budgets", 0}, {"run.resumed", 1}, {"approval.stale", 2}, {"run.policy_changed", 3}};

class ReplayPlayer {
 public:
  ReplayPlayer(const std::string& run, const std::vector<ThreadRecord>& records,
               std::shared_ptr<ToolCatalog> catalog, const AgentJudge& judge,
               const ReplayFiles& files)
      : records_(records), files_(files), machine_(run, {}, std::move(catalog), judge) {}

  Replay play() {
    while (at_ < records_.size() && replay_.stopped.empty() && replay_.differences.empty()) {
      const ThreadRecord& record = records_[at_];
      if (record.type == "message") {
        ++at_;
        continue;
      }
      if (!expected_.empty()) {
        compare(record);
        continue;
      }
      const auto event = event_of(record);
      if (!event) {
        if (replay_.stopped.empty()) {
          replay_.differences.push_back(
              {record.seq, record.type + ": the machine would not write it here"});
        }
        break;
      }
      step(*event);
      if (expected_.empty()) ++at_;  // Written by a person: there is nothing to compare.
    }
    replay_.steps = static_cast<std::int64_t>(machine_.state().steps().size());
    return std::move(replay_);
  }

 private:
  void step(const AgentEvent& event) {
    AgentTurn turn = machine_.step(event);
    expected_.insert(expected_.end(), std::make_move_iterator(turn.records.begin()),
                     std::make_move_iterator(turn.records.end()));
    for (const AgentEffect& effect : turn.effects) check_request(effect);
  }

  void compare(const ThreadRecord& record) {
    const AgentRecord made = std::move(expected_.front());
    expected_.pop_front();
    ++at_;
    ++replay_.records;
    if (made.type != record.type) {
      replay_.differences.push_back(
          {record.seq,
           fmt::format("{} was written, and now it would be {}", record.type, made.type)});
      return;
    }
    const Json now = compared(made.type, made.data);
    const Json then = compared(record.type, record.data);
    if (now == then) return;
    for (const auto& member : now.items()) {
      if (then.contains(member.key()) && then[member.key()] == member.value()) continue;
      replay_.differences.push_back(
          {record.seq, fmt::format("{}: {} would now be {}", record.type, member.key(),
                                   excerpt(dump_json(member.value()), 200))});
      return;
    }
  }

  void check_request(const AgentEffect& effect) {
    // The run's result tells how long it took, which no record has to the nanosecond.
    if (effect.kind != AgentEffect::Kind::kAsk || effect.command == "system.echo") return;
    const auto asked = files_.request(effect.id);
    if (!asked || value_at(*asked, "params") == effect.params) return;
    replay_.differences.push_back(
        {at_ < records_.size() ? records_[at_].seq : 0,
         fmt::format("request {}: the machine would now ask something else", effect.id)});
  }

  std::optional<AgentEvent> event_of(const ThreadRecord& record) {
    AgentEvent event;
    event.now = written_at(record);
    event.data = record.data;
    const std::string& type = record.type;
    const std::string request = text_at(record.data, "request_id");
    if (type == "run.begun") {
      event.kind = AgentEvent::Kind::kBegin;
    } else if (type == "steer") {
      event.kind = AgentEvent::Kind::kSteer;
      event.text = text_at(record.data, "text");
    } else if (const ThreadRecord* cancel = cancel_at(record)) {
      event.kind = AgentEvent::Kind::kCancel;
      event.text = text_at(cancel->data, "why");
    } else if (type == "run.parked") {
      event.kind = AgentEvent::Kind::kPark;
      event.text = text_at(record.data, "why");
    } else if (kResumeRecords.contains(type)) {
      event.kind = AgentEvent::Kind::kResume;
      event.data = changes_from(record);
    } else if (type == "approval.decided") {
      event.kind = AgentEvent::Kind::kDecision;
      event.id = text_at(record.data, "approval");
    } else if (!request.empty() || type == "report.answered") {
      event.kind = AgentEvent::Kind::kAnswer;
      event.id = request.empty() ? machine_.state().report_request() : request;
      event.response = files_.response(event.id);
      if (event.response == nullptr) {
        replay_.stopped = fmt::format("response {}: it is not there any more", event.id);
        return std::nullopt;
      }
    } else {
      return std::nullopt;
    }
    return event;
  }

  /// The cancel that `record` is, or is the beginning of: one ends that a run is parked.
  const ThreadRecord* cancel_at(const ThreadRecord& record) const {
    if (record.type == "run.cancelled") return &record;
    const bool ends_park = record.type == "run.resumed" && machine_.state().is_parked();
    if (!ends_park || at_ + 1 >= records_.size()) return nullptr;
    const ThreadRecord& next = records_[at_ + 1];
    return next.type == "run.cancelled" ? &next : nullptr;
  }

  /// What the resume that begins with `record` has changed.
  Json changes_from(const ThreadRecord& record) const {
    Json changes;
    const auto from = records_.begin() + (&record - records_.data());
    std::string last;
    for (auto one = from; one != records_.end() && kResumeRecords.contains(one->type); ++one) {
      if (one != from && kResumeRecords.at(one->type) <= kResumeRecords.at(last)) break;
      last = one->type;
      if (last == "run.policy_changed") changes.update(one->data);
      if (last == "run.budgets") changes["budgets"] = value_at(one->data, "budgets");
    }
    return changes;
  }

  const std::vector<ThreadRecord>& records_;
  const ReplayFiles& files_;
  AgentMachine machine_;
  std::deque<AgentRecord> expected_;
  std::size_t at_ = 0;
  Replay replay_;
};

}  // namespace

Replay replay_run(const std::string& run, const std::vector<ThreadRecord>& records,
                  std::shared_ptr<ToolCatalog> catalog, const AgentJudge& judge,
                  const ReplayFiles& files) {
  return ReplayPlayer(run, records, std::move(catalog), judge, files).play();
}

}  // namespace filecall::client
