// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "client/agent/core/agent_state.h"
#include "client/agent/core/tool_catalog.h"
#include "ipc/json.h"

namespace filecall::client {

/// Bytes that count as one token when the size of a prompt is held against context_tokens.
inline constexpr std::size_t kBytesPerToken = 4;

/// What the model is asked: params of llm.chat. Follows from the run's state alone, so that the
/// same state asks the same. Pure.
///
/// Results of tools stand in it as data from outside. The system's message is the same in all
/// prompts of a run; each result follows its call; no prompt is larger than context_tokens.
class PromptBuilder {
 public:
  /// Both must outlive it.
  PromptBuilder(const AgentState& state, const ToolCatalog& catalog)
      : state_(state), catalog_(catalog) {}

  /// For the next plan, or a corrective turn of it. failed_precondition: instructions, tools and
  /// goal alone are larger than context_tokens.
  Result<Json> plan_params() const;
  Result<Json> report_params() const;

  /// The text that stands for the first steps up to and with `through_step`.
  std::string summary_of(std::int64_t through_step) const;
  /// Up to which step the steps must be summarised for the next prompt to fit; 0: none more.
  std::int64_t steps_to_summarise() const;

 private:
  Json messages(bool is_report, std::size_t result_bytes) const;
  void add_step(Json& messages, const AgentStep& step, bool is_native, std::size_t bytes) const;
  void add_native_step(Json& messages, const AgentStep& step, std::size_t bytes) const;
  void add_corrections(Json& messages) const;
  std::string system_text() const;
  std::string goal_text() const;
  std::string notes_after(std::int64_t step) const;
  std::string result_of(const AgentCall& call, std::size_t bytes) const;
  std::size_t bytes_max() const;
  Result<Json> params(bool is_report) const;

  const AgentState& state_;
  const ToolCatalog& catalog_;
};

/// Splits "provider/model" at its first slash into params.
void set_model(Json& params, const std::string& model);

}  // namespace filecall::client
