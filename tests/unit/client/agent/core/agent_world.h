// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/core.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/agent/core/agent_machine.h"
#include "client/agent/core/record_member.h"

namespace filecall::client {

/// A judge that reads plans as JSON and decides by the tool's name.
class PlainJudge final : public AgentJudge {
 public:
  /// A tool that a rule asks a person about.
  std::string commits_asked;

  Ruling decide(const CallFacts& facts, const AgentState&) const override {
    if (facts.tool == "file.delete" || facts.args.value("path", "") == "forbidden") {
      return {"deny", "critical", "rule 1", {}, "nothing is deleted here"};
    }
    if (facts.tool == commits_asked) return {"prompt", "medium", "rule 2", {"a rule asks"}, ""};
    if (!facts.has_effects) return {"allow", "low", "", {}, ""};
    return {"prompt", "medium", "", {"it changes something"}, ""};
  }
  PlanReading read_plan(const Json& data, const AgentSettings&, const ToolCatalog&) const override {
    PlanReading plan;
    plan.excerpt = text_at(data, "text");
    const Json json = Json::parse(plan.excerpt, nullptr, false);
    if (!json.is_object()) {
      plan.message = "line 1, column 1: no JSON object";
      plan.rule = "no_object";
      return plan;
    }
    plan.commentary = text_at(json, "commentary");
    if (json.contains("actions")) plan.calls = json["actions"];
    plan.is_done = flag_at(json, "done");
    plan.summary = text_at(json, "finalSummary");
    plan.is_plan = plan.is_done || !plan.calls.empty();
    plan.message = "an empty plan that is not done";
    return plan;
  }
  Json approval_request(const std::string& id, const std::vector<ShownCall>& calls,
                        const AgentState& state, WallTime) const override {
    Json shown = Json::array();
    for (const ShownCall& one : calls) shown.push_back(one.call->n);
    return {{"id", id}, {"calls", shown}, {"digest", state.settings().policy_digest + id}};
  }
  std::vector<std::string> unsupported(std::string_view report,
                                       const std::vector<std::string>&) const override {
    if (report.find("invented") == std::string_view::npos) return {};
    return {"invented"};
  }
  Progress progress(const std::vector<AgentStep>& steps, std::string& why) const override {
    int same = 0;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (key_of(*step) != key_of(steps.back())) break;
      ++same;
    }
    why = fmt::format("the same {} times", same);
    return same >= 5 ? Progress::kEnd : same >= 3 ? Progress::kWarn : Progress::kFine;
  }

 private:
  static std::string key_of(const AgentStep& step) {
    std::string key;
    for (const AgentCall& call : step.calls) {
      key += call.tool + dump_json(call.args) + call.result_digest + call.status;
    }
    return key;
  }
};

inline Json catalog_data() {
  const auto command = [](const char* name, const char* effects) {
    return Json{{"name", name},
                {"description", "one"},
                {"effects", effects},
                {"risk", "low"},
                {"input_schema", {{"type", "object"}}}};
  };
  Json commands = Json::array();
  for (const char* name : {"file.read", "file.search", "file.propose", "kube.diffResource",
                           "kube.getResource", "kube.analyzeImpact"}) {
    commands.push_back(command(name, "none"));
  }
  for (const char* name : {"file.edit", "file.create", "file.delete", "file.apply", "tool.run",
                           "kube.patchResource", "kube.deleteResource", "kube.scale"}) {
    commands.push_back(command(name, "external"));
  }
  for (const char* name : {"git.status", "git.log", "git.mergePreview"}) {
    commands.push_back(command(name, "none"));
  }
  for (const char* name : {"git.branch", "git.worktree", "git.commit"}) {
    commands.push_back(command(name, "external"));
  }
  commands[10]["input_schema"] = {{"type", "object"}, {"required", {"argv"}}};
  return {{"commands", commands}, {"tools", Json::array()}};
}

inline Json settings_of(Json changes = Json::object()) {
  AgentSettings settings;
  settings.goal = "find it";
  settings.instructions = "You are careful.";
  settings.models = {"one", "two"};
  settings.tools = {"file.*", "kube.*", "tool.run", "todo.*"};
  settings.policy_digest = "p1";
  Json json = settings.to_json();
  json.update(changes);
  return json;
}

inline std::shared_ptr<const Response> said(const std::string& text) {
  auto response = std::make_shared<Response>();
  response->data = {{"text", text},
                    {"tool_calls", Json::array()},
                    {"usage", {{"input_tokens", 10}, {"output_tokens", 5}}}};
  return response;
}
inline std::shared_ptr<const Response> answered(Json data) {
  auto response = std::make_shared<Response>();
  response->data = std::move(data);
  return response;
}
inline std::shared_ptr<const Response> failed(ErrorCode code, const std::string& message) {
  auto response = std::make_shared<Response>();
  response->failure = Failure::of({code, message});
  return response;
}

inline std::string plan_text(const std::vector<Json>& actions, bool is_done = false) {
  Json plan = {{"commentary", "next"}, {"actions", actions}, {"done", is_done}};
  if (is_done) plan["finalSummary"] = "all done";
  return dump_json(plan);
}
inline Json action(const char* tool, Json args = Json::object()) {
  return {{"tool", tool}, {"args", std::move(args)}};
}

/// A run that keeps what its machine said, as a thread would.
class RecordedRun {
 public:
  explicit RecordedRun(const Json& settings = settings_of()) {
    start();
    take({.kind = AgentEvent::Kind::kBegin, .now = now(), .data = settings});
  }
  /// A new machine from the records alone: as after a kill.
  void restart(const Json& changed = Json()) {
    start();
    take({.kind = AgentEvent::Kind::kResume, .now = now(), .data = changed});
  }
  void answer(const std::string& id, std::shared_ptr<const Response> response) {
    take({.kind = AgentEvent::Kind::kAnswer,
          .now = now(),
          .id = id,
          .response = std::move(response)});
  }
  void plan(const std::string& text) { answer(last_asked(), said(text)); }
  void decide(const std::vector<Json>& decisions) {
    take({.kind = AgentEvent::Kind::kDecision,
          .now = now(),
          .id = machine->awaited_approval(),
          .data = {{"decisions", decisions}, {"source", "inline"}}});
  }
  void tell(AgentEvent::Kind kind, const std::string& text = "") {
    take({.kind = kind, .now = now(), .text = text});
  }

  const AgentState& state() const { return machine->state(); }
  const std::string& last_asked() const { return asked.back().id; }
  bool has_asked(const std::string& id) const {
    for (const AgentEffect& effect : asked) {
      if (effect.id == id) return true;
    }
    return false;
  }
  const Json& params_of(const std::string& id) const {
    for (const AgentEffect& effect : asked) {
      if (effect.id == id) return effect.params;
    }
    static const Json kNone;
    return kNone;
  }
  std::vector<std::string> types() const {
    std::vector<std::string> out;
    for (const AgentRecord& record : records) out.push_back(record.type);
    return out;
  }

  PlainJudge judge;
  std::unique_ptr<AgentMachine> machine;
  std::vector<AgentRecord> records;
  std::vector<AgentEffect> asked;   ///< All effects, of every life.
  std::vector<AgentEffect> latest;  ///< Of the last event.

 private:
  WallTime now() { return now_ += milliseconds(10); }
  void start() {
    AgentState state;
    WallTime at{};
    for (const AgentRecord& record : records) state.fold(record.type, record.data, at);
    auto catalog = ToolCatalog::read(catalog_data());
    machine = std::make_unique<AgentMachine>(
        "run-1", std::move(state), std::make_shared<ToolCatalog>(std::move(*catalog)), judge);
  }
  void take(const AgentEvent& event) {
    AgentTurn turn = machine->step(event);
    records.insert(records.end(), turn.records.begin(), turn.records.end());
    asked.insert(asked.end(), turn.effects.begin(), turn.effects.end());
    latest = std::move(turn.effects);
  }
  WallTime now_{};
};

}  // namespace filecall::client
