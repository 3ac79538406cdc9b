// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/agent/agent_order.h"
#include "client/agent/core/agent_machine.h"
#include "client/agent/policy_judge.h"
#include "client/agent/sandbox_facts.h"
#include "client/threads/thread_log.h"
#include "client/threads/thread_reader.h"
#include "spool/layout.h"

namespace filecall::client {

/// Hears what happens in runs, after it is durable. Must not block.
class AgentObserver {
 public:
  virtual ~AgentObserver() = default;
  virtual void on_record(const std::string& run, const AgentRecord& record,
                         const AgentState& state) = 0;
  virtual void on_notice(const std::string& text) = 0;
  /// Whether models are asked to stream, so that on_model_asked()'s events can be shown.
  virtual bool wants_stream() const { return false; }
  /// A request to a model is out; its events lie where the layout says.
  virtual void on_model_asked(const std::string& /*request_id*/) {}
  /// Every now and then while something runs.
  virtual void on_tick() {}
};

/// One run: its machine, and the log of its thread. Holds the thread as long as it lives. Blocking
/// on the log's sync; one thread.
class AgentRun {
 public:
  /// Takes the thread and reads what the run's records say, if there are any. Failures: as of
  /// ThreadLog::open() (unavailable: another run goes on in the thread); data_loss, records of the
  /// run are damaged; already_exists, a run of that id is in another thread, or has another goal.
  static Result<std::unique_ptr<AgentRun>> open(const spool::Layout& layout, AgentOrder order,
                                                Durability durability, AgentObserver& observer);

  const std::string& id() const { return order_.run; }
  const AgentOrder& order() const { return order_; }
  const AgentState& state() const { return machine_ ? machine_->state() : loaded_; }
  /// Of its thread's log: more than before, where others have written to it.
  std::int64_t log_bytes() const;
  /// Before it was opened, and it did not go on since.
  bool had_ended() const {
    return loaded_.is_over() && state().continuations() == loaded_.continuations();
  }
  /// Null before begin().
  const AgentMachine* machine() const { return machine_.get(); }
  /// The request whose answer is the catalog.
  std::string catalog_request() const;
  /// The same for when that is not there any more.
  std::string other_catalog_request() const;

  /// A request that must be answered before begin(), by a worker that lives now: a person has seen
  /// in which sandbox a program was to run that has not run yet. Empty: there is none.
  std::string wake_request() const;

  /// False: it has ended, or ends now, since its records are damaged: nothing is called any more,
  /// and begin() takes null.
  bool needs_catalog() const;
  /// Runs with the same key may share one catalog.
  std::string catalog_key() const;
  /// How long calls take, for approvals; must outlive it. Before begin().
  void set_estimates(RunEstimates& estimates) { estimates_ = &estimates; }
  /// The catalog is there: the run begins, or goes on.
  Result<std::vector<AgentEffect>> begin(std::shared_ptr<ToolCatalog> catalog);
  /// The records are durable when the effects come back.
  Result<std::vector<AgentEffect>> take(AgentEvent event);
  /// The same of an answer.
  Result<std::vector<AgentEffect>> take_answer(const std::string& id,
                                               std::shared_ptr<const Response> response);
  /// A person has interrupted once: it is left as it is, and can go on later. Or twice: it ends
  /// when what has begun has ended.
  Result<void> interrupt(bool is_twice, const std::string& why);
  /// Ends the run though a call of it has not ended: nobody waits for that any more, and it is not
  /// made again.
  Result<void> cancel_at_once(const std::string& why);
  /// What others have written meanwhile: texts that steer, a cancellation.
  Result<std::vector<AgentEffect>> catch_up();

 private:
  AgentRun(const spool::Layout& layout, AgentOrder order, AgentObserver& observer)
      : layout_(layout), order_(std::move(order)), observer_(observer) {}
  Result<void> load();
  Result<void> fill_from_thread();
  /// Whether a program may be run: the scenario has the tool, a check is one, or one waits.
  bool may_run_programs(const ToolCatalog& catalog) const;
  /// {sandbox} or {file_directory} as they are now, when what waits or was decided on was shown
  /// with others; else null.
  Json other_place(const WorkerPlace& now) const;
  void hold_to_place(AgentEvent& event);
  Result<void> write(const AgentTurn& turn, WallTime now);

  spool::Layout layout_;
  AgentOrder order_;
  AgentObserver& observer_;
  std::unique_ptr<ThreadLog> log_;
  AgentState loaded_;
  std::unique_ptr<PolicyJudge> judge_;
  std::unique_ptr<AgentMachine> machine_;
  std::optional<ThreadReader> others_;
  std::int64_t seen_seq_ = 0;   ///< Up to here the thread was read before.
  std::set<std::int64_t> own_;  ///< Numbers of records that others_ has not passed yet.
  bool runs_programs_ = false;  ///< It matters to each event how the worker confines them.
  RunEstimates* estimates_ = nullptr;
};

}  // namespace filecall::client
