// SPDX-License-Identifier: MIT
#include "worker/exec/llm/llm_embed.h"

#include <fmt/core.h>

#include <utility>

#include "base/result.h"
#include "worker/exec/json_read.h"
#include "worker/exec/llm/chat_params.h"
#include "worker/exec/llm/llm_chat.h"
#include "worker/exec/llm/openai_chat.h"
#include "worker/exec/llm/provider_call.h"

namespace filecall::worker::llm {
namespace {

class EmbedCall final : public ProviderCall {
 public:
  EmbedCall(LlmService& service, Provider& provider, std::string model, std::size_t texts, bool raw,
            std::function<void(Outcome)> done)
      : ProviderCall(service, provider, std::move(model), std::move(done)),
        texts_(texts),
        raw_(raw) {}

 protected:
  Answer read(const std::string& body, const HttpResult& result) override {
    const auto json = parse_foreign(body);
    if (!json) return fail(bad_response("the response is not JSON in UTF-8"), result.headers);
    if (const auto error = find_wire_error(*json, 200)) return fail(*error, result.headers);
    Json vectors(texts_, Json());
    const Json& list = member(*json, "data");
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
      // Their order is by index, which need not be the order of the list.
      const auto index = static_cast<std::size_t>(
          count_member(list[i], "index").value_or(static_cast<std::int64_t>(i)));
      if (index < texts_) vectors[index] = member(list[i], "embedding");
    }
    for (const Json& vector : vectors) {
      if (!vector.is_array() || vector.empty()) {
        return fail(bad_response("a text has no embedding in the response"), result.headers);
      }
    }
    provider_.note_success(facts_.model);
    const Usage usage = openai_chat_usage(member(*json, "usage"));
    Json data = {{"embeddings", std::move(vectors)},
                 {"usage", usage_data(usage)},
                 {"model", text_member(*json, "model")}};
    add_facts(facts_, usage, provider_.config(), data);
    if (raw_) data["raw"] = *json;
    return data;
  }

 private:
  std::size_t texts_;
  bool raw_;
};

}  // namespace

LlmEmbed::LlmEmbed(std::shared_ptr<LlmService> service, std::string_view schema)
    : info_{"llm.embed", "Turns texts into vectors with an embedding model of a provider.", schema,
            Effects::kNone, Risk::kLow},
      service_(std::move(service)) {}

Result<ExecutionPlan, Failure> LlmEmbed::plan(const Request& request) {
  TRY_ASSIGN(auto chosen, service_->choose(text_member(request.params, "provider"),
                                           text_member(request.params, "model")));
  const ProviderConfig& provider = chosen->config();
  if (provider.kind == ProviderKind::kAnthropic) {
    return bad_param("/provider", fmt::format("provider {} has no embeddings", provider.name));
  }
  ExecutionPlan plan;
  plan.destination = provider.destination();
  const std::string model = text_member(request.params, "model");
  plan.lane = lane_of(provider, model.empty() ? service_->default_model(*chosen) : model);
  if (provider.tpm > 0) plan.tokens = estimate_tokens(request, 0);
  return plan;
}

std::unique_ptr<Execution> LlmEmbed::start(const Request& request, const ExecutionContext&,
                                           std::function<void(Outcome)> done) {
  const Json& params = request.params;
  auto chosen = service_->choose(text_member(params, "provider"), text_member(params, "model"));
  if (!chosen) {
    done(std::move(chosen).error());
    return nullptr;
  }
  Provider& provider = **chosen;
  const Json& input = member(params, "input");
  Json body = {{"model", text_member(params, "model")},
               {"input", input.is_array() ? input : Json::array({input})}};
  if (const auto dimensions = count_member(params, "dimensions")) body["dimensions"] = *dimensions;
  if (const Json& extra = member(params, "extra_body"); extra.is_object()) body.update(extra);
  auto call = std::make_unique<EmbedCall>(*service_, provider, text_member(params, "model"),
                                          body["input"].size(), member(params, "raw") == true,
                                          std::move(done));
  call->start([text = dump_json(body), to = &provider](ProviderCall&) {
    return Result<HttpRequest, Failure>(to->make_request("POST", "/embeddings", text));
  });
  return call;
}

}  // namespace filecall::worker::llm
