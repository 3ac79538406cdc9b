// SPDX-License-Identifier: MIT
#include "client/report/items/report_item.h"

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "client/core/digest.h"
#include "client/core/price_table.h"
#include "client/report/items/item_text.h"
#include "client/turns/transcript.h"
#include "ipc/limits.h"
#include "ipc/response.h"
#include "ipc/strict_parser.h"

namespace filecall::client {
namespace {

constexpr std::string_view kItemOutcomeNames[] = {"pending",   "answered",       "graded",
                                                  "ungraded",  "error",          "refusal",
                                                  "truncated", "schema_invalid", "missing"};
static_assert(std::size(kItemOutcomeNames) == kItemOutcomeCount);

Json parse_lenient(const std::optional<std::string>& text) {
  if (!text) return nullptr;
  auto parsed = parse_strict(*text, limits::kDepthMax, Strictness::kForeign, "request");
  return parsed ? *std::move(parsed) : Json();
}

std::optional<std::int64_t> count_member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_number()) return std::nullopt;
  // An answer is anybody's word, and what is counted here is added up.
  constexpr double kNumberMax = 1e12;
  return static_cast<std::int64_t>(std::clamp(found->get<double>(), 0.0, kNumberMax));
}

/// The id that a line of the input has in each run, without what --fresh and --run-id append to ids
/// and to the batch's name.
std::string id_in_input(const std::string& id, const std::string& batch) {
  const std::size_t at = batch.rfind('+');
  if (at == std::string::npos || !id.ends_with(batch.substr(at))) return id;
  return id.substr(0, id.size() - (batch.size() - at));
}

void take_identity(const Json& request, const Json& metadata, ReportItem& item) {
  item.item = text_member(metadata, "item");
  item.is_question = metadata.is_object() && metadata.contains("evaluation_of");
  item.is_within = is_within_conversation(metadata);
  if (item.item.empty()) item.item = id_in_input(item.request_id, item.batch);
  item.prompt_name = text_member(metadata, "prompt");
  item.provider = text_member(metadata, "provider");
  item.model = text_member(metadata, "model");
  if (const Json& vars = object_member(metadata, "vars"); vars.is_object()) item.vars = vars;
  item.repeat = std::max<std::int64_t>(1, count_member(metadata, "repeat").value_or(1));
  const Json& params = object_member(request, "params");
  if (item.model.empty()) item.model = text_member(params, "model");
  if (item.provider.empty()) item.provider = text_member(params, "provider");
  item.prompt = prompt_text(params);
  if (item.command.empty()) item.command = text_member(request, "command");
  item.sums_up_run =
      item.command == "system.echo" && metadata.is_object() && metadata.contains("agent_run");
}

void take_usage(const Json& data, ReportItem& item) {
  item.answered_by = text_member(data, "model");
  const Json& usage = object_member(data, "usage");
  item.usage.is_of_model = usage.is_object();
  item.usage.input_tokens = count_member(usage, "input_tokens");
  item.usage.output_tokens = count_member(usage, "output_tokens");
  item.usage.cached_input_tokens = count_member(usage, "cached_input_tokens");
  item.usage.reasoning_tokens = count_member(usage, "reasoning_tokens");
  // What a run's result sums up was paid for by its own requests.
  if (!item.sums_up_run) item.usage.cost = said_cost(data);
  if (!data.is_object() || data.value("cached", Json()) != true) return;
  item.is_cached = true;
  // What came from a cache was paid for, and its tokens were used, once: by another request.
  const bool is_of_model = item.usage.is_of_model;
  item.usage = ItemUsage();
  item.usage.input_tokens = item.usage.output_tokens = 0;
  item.usage.cost = 0;
  item.usage.is_of_model = is_of_model;
}

void take_success(const Json& data, ReportItem& item) {
  item.answer = answer_text(data);
  item.finish_reason = text_member(data, "finish_reason");
  item.first_token_ms = count_member(data, "time_to_first_token_ms");
  if (item.model.empty()) item.model = text_member(data, "model");
  if (item.provider.empty()) item.provider = text_member(data, "provider");
  take_usage(data, item);
}

/// What a failure brought, and may have cost, before it failed; null: nothing.
const Json& data_of_failure(const Failure& failure) {
  const Json& answer = object_member(failure.details, "answer");
  return answer.is_null() ? object_member(failure.details, "partial") : answer;
}

void take_failure(const Failure& failure, ReportItem& item) {
  if (!item.error_code) item.error_code = failure.code;
  item.error_class = text_member(failure.details, "class");
  item.error_message = failure.message;
  item.first_token_ms = count_member(failure.details, "time_to_first_token_ms");
  if (item.model.empty()) item.model = text_member(failure.details, "model");
  if (item.provider.empty()) item.provider = text_member(failure.details, "provider");
  const Json& data = data_of_failure(failure);
  if (data.is_null()) return;
  item.answer = answer_text(data);
  item.finish_reason = text_member(data, "finish_reason");
  take_usage(data, item);
}

void take_timing(const std::optional<ResponseTiming>& timing, bool is_inferred, ReportItem& item) {
  if (!timing) return;
  item.queued_ms = timing->queued_ms;
  item.run_ms = timing->run_ms;
  if (!is_inferred) return;
  // No client drove it: what the worker saw is all there is.
  item.submitted_at = timing->received_at;
  item.finished_at = timing->finished_at;
}

/// What all calls of a request used, also those whose answers did not fit: they were paid for. The
/// answer alone tells where no client has counted.
void price_item(const Spend& spend, const TokenPrices& prices, ReportItem& item) {
  if (spend.calls > 1) {
    item.usage.input_tokens = spend.input_tokens;
    item.usage.output_tokens = spend.output_tokens;
    item.usage.cost.reset();
  }
  if (!item.usage.is_unpriced()) return;
  if (spend.calls > 0 && spend.unpriced == 0) {
    item.usage.cost = spend.cost;
    return;
  }
  const TokenPrice* price = prices.find(item.provider, item.model, item.answered_by);
  if (price == nullptr || (!item.usage.input_tokens && !item.usage.output_tokens)) return;
  item.usage.cost =
      price->cost(item.usage.input_tokens.value_or(0), item.usage.cached_input_tokens.value_or(0),
                  item.usage.output_tokens.value_or(0));
}

void add_usage(const ItemUsage& part, ItemUsage& sum) {
  const auto add = [](const auto& from, auto& to) {
    if (from) to = to.value_or(0) + *from;
  };
  add(part.input_tokens, sum.input_tokens);
  add(part.output_tokens, sum.output_tokens);
  add(part.cached_input_tokens, sum.cached_input_tokens);
  add(part.reasoning_tokens, sum.reasoning_tokens);
  add(part.cost, sum.cost);
  sum.is_of_model = sum.is_of_model || part.is_of_model;
}

/// What all calls of the model used; a cost only when each one's is known.
void take_conversation(const ConversationLook& look, const RequestEntry& whole,
                       const TokenPrices& prices, ReportItem& item) {
  item.queued_ms = whole.queued_ms;
  item.run_ms = whole.run_ms;
  item.turns = transcript_of(look.conversation);
  item.prompt = transcript_question(item.turns);
  if (!look.conversation.reason().empty()) item.error_message = look.conversation.reason();
  ItemUsage sum;
  bool is_priced = true;
  for (const ConversationStep& step : look.conversation.steps()) {
    if (step.kind != ConversationStep::Kind::kModel || step.response == nullptr) continue;
    const Response& response = *step.response;
    ReportItem one;
    one.provider = item.provider;
    one.model = item.model;
    take_usage(response.failure ? data_of_failure(*response.failure) : response.data, one);
    const auto spend = look.spends.find(step.request_id);
    price_item(spend == look.spends.end() ? Spend() : spend->second, prices, one);
    is_priced = is_priced && !one.usage.is_unpriced();
    add_usage(one.usage, sum);
  }
  if (!is_priced) sum.cost.reset();
  item.usage = sum;
}

ItemOutcome outcome_of(EvaluationOutcome outcome) {
  switch (outcome) {
    case EvaluationOutcome::kGraded:
      return ItemOutcome::kGraded;
    case EvaluationOutcome::kUngraded:
      return ItemOutcome::kUngraded;
    case EvaluationOutcome::kError:
      return ItemOutcome::kError;
    case EvaluationOutcome::kRefusal:
      return ItemOutcome::kRefusal;
    case EvaluationOutcome::kTruncated:
      return ItemOutcome::kTruncated;
    case EvaluationOutcome::kSchemaInvalid:
      return ItemOutcome::kSchemaInvalid;
  }
  return ItemOutcome::kUngraded;
}

/// Why a request that ended well has no answer; empty: it has.
std::string absence(const RequestEntry& entry, const ItemFiles& files,
                    const Result<Response>& response) {
  if (entry.is_collected) return "removed by gc";
  if (entry.state != RequestState::kSuccess) return {};
  if (files.conversation != nullptr && !files.conversation->lost.empty()) {
    return files.conversation->lost;
  }
  if (!files.response) {
    return "its response is gone or cannot be read: the file was removed or changed after the "
           "request ended";
  }
  if (!response) return "its answer was changed after it ended: " + response.error().message;
  if (response->failure) {
    return "its answer was changed after it ended: it is an error now: " +
           response->failure->message;
  }
  return {};
}

ItemOutcome plain_outcome(const ReportItem& item) {
  if (item.outcome == ItemOutcome::kMissing) return item.outcome;
  if (item.state == RequestState::kGaveUp) {
    return item.error_class == "schema_invalid" ? ItemOutcome::kSchemaInvalid : ItemOutcome::kError;
  }
  if (item.state != RequestState::kSuccess) return ItemOutcome::kPending;
  if (item.finish_reason == "refusal" || item.finish_reason == "content_filter") {
    return ItemOutcome::kRefusal;
  }
  return item.finish_reason == "length" ? ItemOutcome::kTruncated : ItemOutcome::kAnswered;
}

struct MetadataOfRequest {
  const Json& now;  ///< The run's, else the file's.
  const Json& own;  ///< The file's.
};

void take_evaluation(const ItemFiles& files, std::string_view name,
                     const MetadataOfRequest& metadata, ReportItem& item) {
  item.outcome = plain_outcome(item);
  const bool has_answer =
      item.outcome != ItemOutcome::kPending && item.outcome != ItemOutcome::kMissing;
  if (has_answer) item.evaluation_problem = files.evaluation_problem;
  if (name.empty() || !files.evaluations || !has_answer) return;
  auto record = parse_evaluation_record(*files.evaluations, item.request_id);
  if (!record) {
    item.evaluation_problem = record.error().message;
    return;
  }
  const auto found = record->evaluations.find(name);
  if (found == record->evaluations.end()) return;
  const std::string digest = files.conversation != nullptr ? files.conversation->digest
                             : files.response              ? digest_of(*files.response)
                                                           : std::string();
  if (!digest.empty() && found->second.response_digest != digest) {
    item.evaluation_problem = "it is of another response; run the evaluation again";
    return;
  }
  if (!found->second.is_of_metadata(metadata.now, metadata.own)) {
    item.evaluation_problem = "it is by other labels; run the evaluation again";
    return;
  }
  // A request that was given up has no answer to score, whatever else is said of it.
  if (item.state != RequestState::kGaveUp) item.outcome = outcome_of(found->second.outcome);
  item.evaluation = std::move(found->second);
}

}  // namespace

std::string_view to_string(ItemOutcome outcome) {
  return kItemOutcomeNames[static_cast<std::size_t>(outcome)];
}

std::optional<NoGrade> no_grade_of(ItemOutcome outcome) {
  switch (outcome) {
    case ItemOutcome::kUngraded:
      return NoGrade::kUngraded;
    case ItemOutcome::kError:
      return NoGrade::kError;
    case ItemOutcome::kRefusal:
      return NoGrade::kRefusal;
    case ItemOutcome::kTruncated:
      return NoGrade::kTruncated;
    case ItemOutcome::kSchemaInvalid:
      return NoGrade::kSchemaInvalid;
    case ItemOutcome::kPending:
    case ItemOutcome::kAnswered:
    case ItemOutcome::kGraded:
    case ItemOutcome::kMissing:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ItemOutcome> parse_item_outcome(std::string_view name) {
  const auto* found = std::find(std::begin(kItemOutcomeNames), std::end(kItemOutcomeNames), name);
  if (found == std::end(kItemOutcomeNames)) return std::nullopt;
  return static_cast<ItemOutcome>(found - std::begin(kItemOutcomeNames));
}

ReportItem make_report_item(const RequestEntry& entry, const ItemFiles& files,
                            std::string_view evaluation, const TokenPrices& prices) {
  ReportItem item;
  item.request_id = entry.request_id;
  item.files = files.names;
  item.command = entry.command;
  item.batch = entry.batch;
  item.state = entry.state;
  item.attempts = entry.attempts;
  item.submitted_at = entry.submitted_at;
  item.finished_at = entry.finished_at.value_or(WallTime{});
  item.queued_ms = entry.queued_ms;
  item.run_ms = entry.run_ms;
  if (entry.state == RequestState::kGaveUp) item.error_code = entry.error_code;
  // Not dropped yet: whom it waits for.
  const bool is_unasked = entry.state == RequestState::kNew && !entry.error_code;
  if (is_unasked) item.error_message = entry.error_message;

  const Json request = parse_lenient(files.request);
  Result<Response> response = fail(ErrorCode::kNotFound, "no response");
  if (is_final(entry.state) && files.response) {
    const auto* talk = files.conversation.get();
    response = parse_response(*files.response, talk == nullptr ? entry.request_id : talk->last_id);
  }
  const Json& asked = object_member(request, "metadata");
  const Json& own = asked.is_null() && response ? response->metadata : asked;
  const Json& metadata = files.metadata.is_null() ? own : files.metadata;
  take_identity(request, metadata, item);
  if (response) {
    take_timing(response->timing, entry.is_inferred, item);
    if (response->failure) {
      take_failure(*response->failure, item);
    } else {
      take_success(response->data, item);
    }
  }
  if (entry.state == RequestState::kGaveUp) {
    if (item.error_message.empty()) item.error_message = entry.error_message;
    if (!item.error_code) item.error_code = ErrorCode::kUnknown;
    if (item.error_class.empty()) item.error_class = to_string(*item.error_code);
  }
  if (is_final(item.state)) {
    const bool is_known = !entry.is_inferred && entry.asked_at != WallTime{};
    const WallTime since = is_known ? entry.asked_at : item.submitted_at;
    item.latency_ms = std::max<std::int64_t>(0, to_ms(item.finished_at - since));
  }
  if (item.sums_up_run && response && !response->failure) {
    // How long the run took: the request itself says nothing of it.
    item.latency_ms = count_member(response->data, "duration_ms").value_or(item.latency_ms);
  }
  price_item(entry.spend, prices, item);
  if (files.conversation != nullptr) take_conversation(*files.conversation, entry, prices, item);
  if (std::string why = absence(entry, files, response); !why.empty()) {
    item.outcome = ItemOutcome::kMissing;
    item.error_message = std::move(why);
    item.error_class = entry.is_collected ? "removed_by_gc" : "answer_missing";
  }
  take_evaluation(files, evaluation, {metadata, own}, item);
  item.awaits_grade = !evaluation.empty() && item.state == RequestState::kSuccess &&
                      item.outcome != ItemOutcome::kMissing && !item.evaluation;
  return item;
}

}  // namespace filecall::client
