// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/agent/agent_order.h"
#include "client/agent/agent_run.h"
#include "client/agent/run_estimates.h"
#include "client/agent/run_proposals.h"
#include "client/approval/approval_files.h"
#include "client/engine/orchestrator.h"
#include "client/engine/submission_feed.h"
#include "spool/layout.h"

namespace filecall::client {

/// What happens to a run that waits for a decision that nobody has made yet.
enum class AgentWait : std::uint8_t {
  kPark,  ///< It is left; the same command goes on after the decision.
  kAsk,   ///< A person is asked here.
  kDeny,  ///< Nobody is there: it is denied.
  kWait,  ///< Others decide meanwhile.
};

/// Runs to begin or to go on, one by one.
class AgentSource {
 public:
  virtual ~AgentSource() = default;
  /// nullopt: there are no more. Failure: of the input; nothing more comes.
  virtual Result<std::optional<AgentOrder>> next() = 0;
};

/// Asks a person for a decision.
class ApprovalAsker {
 public:
  virtual ~ApprovalAsker() = default;
  /// Blocks until there is an answer. nullopt: it was decided elsewhere meanwhile, or the person
  /// asked to end (Interruption).
  virtual Result<std::optional<ApprovalDecision>> ask(const Json& request,
                                                      const std::function<bool()>& is_over) = 0;
};

/// How a run left the pool.
struct AgentOutcome {
  std::string run;
  std::string thread;
  AgentState state;
  std::optional<Error> error;  ///< It could not begin, or its log failed.
  bool is_busy = false;        ///< It could not begin: another process drives it.
  bool had_ended = false;      ///< Before it was opened, and nothing was done since.
  /// Of a run that was interrupted: its result was asked for, and a worker is there to answer.
  bool leaves_result = false;
};

struct AgentPoolOptions {
  AgentWait wait = AgentWait::kPark;
  Duration wait_max{};  ///< Of kWait, for each decision; zero: without end.
  int runs_max = 64;    ///< At once.
  Durability durability = Durability::kFull;
};

/// Brings runs to their ends through one driver: stands between them and the engine, which asks it
/// for the next request and says what became of each. Keeps only runs that go on. One thread.
class AgentPool final : public SubmissionFeed, public RunObserver {
 public:
  using Ended = std::function<void(const AgentOutcome&)>;
  /// All must outlive it. `asker` may be null but for kAsk.
  AgentPool(Orchestrator& engine, const spool::Layout& layout, ApprovalFiles& approvals,
            AgentSource& source, AgentPoolOptions options, AgentObserver& observer,
            ApprovalAsker* asker, Ended on_end);

  Result<Offer> next() override;
  bool is_open_ended() const override { return true; }
  void on_outcome(const RequestOutcome& outcome) override;
  void on_progress(const RunProgress&) override { observer_.on_tick(); }
  void on_notice(const std::string& text) override { observer_.on_notice(text); }

  /// After the engine was interrupted: every run that goes on is parked, or cancelled. Their
  /// outcomes are reported.
  void end_all(bool is_cancelled, const std::string& why);

 private:
  struct Live;
  using Shared = std::shared_ptr<Live>;
  void start_more();
  void start(AgentOrder order);
  void begin(const Shared& live, const Json& catalog_data);
  void perform(const Shared& live, Result<std::vector<AgentEffect>> effects);
  void look_for_catalog(const Shared& live);
  void ask_for_catalog(const Shared& live, const std::string& request);
  void ask_for(const Shared& live, const AgentEffect& effect);
  void tell(const Result<void>& done);
  void withdraw(const std::string& approval, const std::string& why);
  void look_at_approvals();
  void look_at(const Shared& live);
  void decide(const Shared& live, const ApprovalDecision& decision);
  void park(const Shared& live, const std::string& id);
  void look_at_threads();
  void finish_if_over(const Shared& live);
  void finish(const Shared& live, std::optional<Error> error);

  Orchestrator& engine_;
  spool::Layout layout_;
  ApprovalFiles& approvals_;
  AgentSource& source_;
  AgentPoolOptions options_;
  AgentObserver& observer_;
  ApprovalAsker* asker_;
  Ended on_end_;
  RunProposals proposals_;
  RunEstimates estimates_;
  bool is_exhausted_ = false;
  std::deque<Submission> ready_;
  std::map<std::string, Shared, std::less<>> runs_;               ///< By run.
  std::map<std::string, Shared, std::less<>> requests_;           ///< By open request.
  std::map<std::string, Shared, std::less<>> waiting_;            ///< By awaited approval.
  std::map<std::string, std::shared_ptr<ToolCatalog>> catalogs_;  ///< By AgentRun::catalog_key().
  MonotonicTime next_look_{};
};

}  // namespace filecall::client
