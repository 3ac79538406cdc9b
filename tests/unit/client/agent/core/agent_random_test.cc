// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <set>

#include "base/random.h"
#include "client/agent/core/prompt.h"
#include "tests/unit/client/agent/core/agent_world.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kContextTokens = 3000;
constexpr const char* kEditing[] = {"direct", "proposal", "branch", "branch"};

/// Everything that must hold of a prompt.
void check_prompt(const Json& params, bool is_report) {
  EXPECT_LE(dump_json(params).size(), kContextTokens * kBytesPerToken);
  std::set<std::string> open;
  std::set<std::string> seen;
  const Json& messages = params["messages"];
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages[0]["role"], "system");
  EXPECT_TRUE(messages[0]["content"].get<std::string>().starts_with("You are careful."));
  for (const Json& message : messages) {
    EXPECT_TRUE(message["role"] == "tool" || open.empty()) << "a call without a result";
    for (const Json& call : value_at(message, "tool_calls")) {
      EXPECT_TRUE(seen.insert(text_at(call, "id")).second) << "two calls of one id";
      open.insert(text_at(call, "id"));
    }
    if (message["role"] == "tool") {
      EXPECT_EQ(open.erase(text_at(message, "tool_call_id")), 1U) << "a result without a call";
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_FALSE(is_report && params.contains("tools"));
}

/// Runs one machine with random answers, decisions, texts and kills, and holds what it does against
/// the rules.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed) : random_(seed), run_(random_settings()) {}

  void play() {
    for (int i = 0; i < 2000 && !run_.machine->is_complete(); ++i) {
      check();
      turn();
    }
    EXPECT_TRUE(run_.machine->is_complete()) << "every run ends";
    check();
  }

 private:
  Json random_settings() {
    return settings_of({{"planner", random_.below(2) == 0 ? "json" : "tools"},
                        {"editing", kEditing[random_.below(std::size(kEditing))]},
                        {"context_tokens", kContextTokens},
                        {"budgets", {{"steps", 1 + random_.below(12)}, {"writes", 5}}}});
  }

  void turn() {
    const auto dice = random_.below(30);
    if (dice == 0) return restart();
    if (dice == 1 && steers_++ < 5) return run_.tell(AgentEvent::Kind::kSteer, "and now b");
    if (dice == 2 && random_.below(6) == 0) return run_.tell(AgentEvent::Kind::kCancel);
    if (dice == 3 && !run_.state().is_over()) {
      run_.tell(AgentEvent::Kind::kPark, "interrupted");
      return restart();
    }
    std::vector<AgentEffect> open;
    for (const AgentEffect& effect : alive_) open.push_back(effect);
    for (const AgentEffect& effect : run_.latest) {
      if (effect.kind != AgentEffect::Kind::kCancel) open.push_back(effect);
    }
    run_.latest.clear();
    alive_ = open;
    if (alive_.empty()) return restart();
    const std::size_t at = random_.below(alive_.size());
    const AgentEffect effect = alive_[at];
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(at));
    if (effect.kind == AgentEffect::Kind::kApprove) return decide(effect);
    run_.answer(effect.id, stored(effect));
  }

  void restart() {
    alive_.clear();
    run_.restart(random_.below(8) == 0 ? Json{{"policy_digest", random_.hex(4)}} : Json());
  }

  void decide(const AgentEffect& effect) {
    if (effect.id != run_.machine->awaited_approval()) return;
    std::vector<Json> decisions;
    for (const Json& n : effect.params["calls"]) {
      Json one = {{"n", n}, {"approved", random_.below(3) != 0}, {"reason", "so"}};
      if (random_.below(5) == 0) one["args"] = {{"path", "other"}, {"argv", Json::array({"x"})}};
      if (random_.below(9) != 0) decisions.push_back(std::move(one));
    }
    run_.decide(decisions);
  }

  /// As a root does: one answer for one id, for ever.
  std::shared_ptr<const Response> stored(const AgentEffect& effect) {
    auto& known = answers_[effect.id];
    if (known == nullptr) known = make(effect);
    return known;
  }

  std::shared_ptr<const Response> make(const AgentEffect& effect) {
    const auto dice = random_.below(10);
    if (!effect.is_model) {
      if (dice == 0) return failed(ErrorCode::kAborted, "interrupted; effects unknown");
      if (effect.command.starts_with("git.")) return make_git(effect.command);
      return answered({{"digest", "d"},
                       {"changes", Json::array()},
                       {"text", std::string(random_.below(4000), 'x')}});
    }
    if (dice == 0) return failed(ErrorCode::kUnavailable, "down");
    if (dice == 1) return said("prose {");
    std::vector<Json> actions;
    constexpr const char* kTools[] = {"file.read",   "file.create",       "file.propose",
                                      "file.delete", "tool.run",          "no.such",
                                      "todo.read",   "kube.patchResource"};
    for (std::uint64_t i = random_.below(4); i > 0; --i) {
      actions.push_back(
          action(kTools[random_.below(std::size(kTools))],
                 {{"argv", Json::array({random_.hex(3)})}, {"path", random_.hex(2)}}));
    }
    return said(plan_text(actions, actions.empty() || random_.below(6) == 0));
  }

  std::shared_ptr<const Response> make_git(const std::string& command) {
    if (command == "git.status") {
      const Json entry = {{"path", "a"}, {"unstaged", "modified"}};
      const bool has_changes = random_.below(3) != 0;
      return answered({{"entries", has_changes ? Json::array({entry}) : Json::array()}});
    }
    return answered({{"head", random_.hex(20)},
                     {"branch", "main"},
                     {"path", ".ai-agent/x"},
                     {"directory", "/r/.ai-agent/x"},
                     {"commits", Json::array()},
                     {"commit", random_.hex(20)}});
  }

  void check() {
    // No request twice in one life, and none without its record before.
    std::set<std::string> recorded = {"run-1.result"};
    std::set<std::string> approved;
    for (const AgentRecord& record : run_.records) {
      recorded.insert(text_at(record.data, "request_id"));
      recorded.insert(text_at(record.data, "approval"));
    }
    for (const AgentEffect& effect : run_.asked) {
      EXPECT_TRUE(recorded.contains(effect.id)) << effect.id;
      if (effect.is_model) check_prompt(effect.params, effect.id.find("report") != effect.id.npos);
    }
    for (const AgentStep& step : run_.state().steps()) {
      for (const AgentCall& call : step.calls) {
        if (call.request_id.empty()) continue;
        const bool is_allowed = call.decision == "allow" ||
                                (call.decision == "prompt" && call.approved.value_or(false));
        EXPECT_TRUE(is_allowed) << call.tool << " ran undecided";
      }
    }
    // The same records lead to the same state.
    std::set<std::string> now;
    for (const AgentEffect& effect : run_.latest) {
      EXPECT_TRUE(now.insert(effect.id).second) << effect.id;
    }
  }

  Random random_;
  RecordedRun run_;
  std::vector<AgentEffect> alive_;
  std::map<std::string, std::shared_ptr<const Response>> answers_;
  int steers_ = 0;
};

TEST(AgentMachineAtRandom, KeepsItsRulesInEveryOrderOfEvents) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun(seed).play();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace filecall::client
