// SPDX-License-Identifier: MIT
#include "worker/exec/llm/llm_models.h"

#include <utility>

#include "base/result.h"
#include "worker/exec/json_read.h"
#include "worker/exec/llm/local_search.h"
#include "worker/exec/llm/provider_call.h"

namespace filecall::worker::llm {
namespace {

constexpr HttpTimeouts kTimeouts{seconds(5), seconds(10), seconds(10), seconds(15)};

class ModelsCall final : public ProviderCall {
 public:
  using ProviderCall::ProviderCall;

 protected:
  Answer read(const std::string& body, const HttpResult& result) override {
    const auto json = parse_foreign(body);
    if (!json) return fail(bad_response("the response is not JSON in UTF-8"), result.headers);
    if (const auto error = find_wire_error(*json, 200)) return fail(*error, result.headers);
    if (!member(*json, "data").is_array()) {
      return fail(bad_response("the response has no list of models"), result.headers);
    }
    Json models = Json::array();
    for (const std::string& id : model_ids(body)) models.push_back({{"id", id}});
    return Json{{"provider", facts_.provider}, {"models", std::move(models)}};
  }
};

}  // namespace

std::unique_ptr<Execution> ask_for_models(LlmService& service, Provider& provider,
                                          std::function<void(Outcome)> done) {
  auto call = std::make_unique<ModelsCall>(service, provider, "", std::move(done));
  call->start([to = &provider](ProviderCall&) {
    HttpRequest request = to->make_request("GET", to->models_path(), "");
    request.timeouts = kTimeouts;
    return Result<HttpRequest, Failure>(std::move(request));
  });
  return call;
}

LlmModels::LlmModels(std::shared_ptr<LlmService> service, std::string_view schema)
    : info_{"llm.models", "Lists the models of a provider.", schema, Effects::kNone, Risk::kLow},
      service_(std::move(service)) {}

Result<ExecutionPlan, Failure> LlmModels::plan(const Request& request) {
  TRY_ASSIGN(auto chosen, service_->choose(text_member(request.params, "provider"), ""));
  ExecutionPlan plan;
  // Not the provider's own lane: it should answer while that one is paused.
  plan.destination = chosen->config().destination() + ".models";
  return plan;
}

std::unique_ptr<Execution> LlmModels::start(const Request& request, const ExecutionContext&,
                                            std::function<void(Outcome)> done) {
  auto chosen = service_->choose(text_member(request.params, "provider"), "");
  if (!chosen) {
    done(std::move(chosen).error());
    return nullptr;
  }
  return ask_for_models(*service_, **chosen, std::move(done));
}

}  // namespace filecall::worker::llm
