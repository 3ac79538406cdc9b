// SPDX-License-Identifier: MIT
#include "client/promptfoo/foreign_models.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "client/promptfoo/foreign_secrets.h"
#include "client/promptfoo/nunjucks.h"
#include "ipc/json_text.h"
#include "ipc/schema_catalog.h"
#include "ipc/schema_validator.h"

namespace filecall::client {
namespace {

/// Their names for params of llm.chat.
const std::map<std::string, std::string, std::less<>> kParamNames = {
    {"temperature", "temperature"},
    {"max_tokens", "max_tokens"},
    {"max_completion_tokens", "max_tokens"},
    {"max_output_tokens", "max_tokens"},
    {"maxTokens", "max_tokens"},
    {"maxOutputTokens", "max_tokens"},
    {"num_predict", "max_tokens"},
    {"top_p", "top_p"},
    {"top_k", "top_k"},
    {"frequency_penalty", "frequency_penalty"},
    {"presence_penalty", "presence_penalty"},
    {"seed", "seed"},
    {"stop", "stop"},
    {"n", "n"},
    {"logprobs", "logprobs"},
    {"top_logprobs", "top_logprobs"},
    {"reasoning_effort", "reasoning_effort"},
    {"response_format", "response_format"},
    {"tools", "tools"},
    {"tool_choice", "tool_choice"},
    {"parallel_tool_calls", "parallel_tool_calls"},
    {"passthrough", "extra_body"}};
/// Where a server is and what its key is called: for a worker's configuration.
const std::set<std::string, std::less<>> kServerKeys = {"apiBaseUrl", "apiKeyEnvar", "apiKey"};
constexpr const char* kIgnoredProviderKeys[] = {"id", "label", "config"};

std::vector<std::string> parts_of(const std::string& id) {
  std::vector<std::string> parts;
  std::string_view rest = id;
  for (int i = 0; i < 2 && rest.find(':') != std::string_view::npos; ++i) {
    parts.emplace_back(rest.substr(0, rest.find(':')));
    rest.remove_prefix(parts.back().size() + 1);
  }
  parts.emplace_back(rest);
  return parts;
}

/// Whether the params of llm.chat take that value.
std::string param_problem(const std::string& name, const Json& value) {
  const auto schema = SchemaValidator::compile(*find_schema("command.llm.chat"));
  CHECK(schema.has_value(), "the schemas of commands are schemas");
  const auto violation = schema->check({{"prompt", "x"}, {name, value}});
  return violation ? violation->rule : std::string();
}

bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string host_name(const std::string& url) {
  std::string host =
      url.substr(std::min(url.size(), url.find("://") == url.npos ? 0 : url.find("://") + 3));
  host = host.substr(0, host.find_first_of("/?#"));
  std::string name;
  for (const char c : host) name += is_alnum(c) ? c : '-';
  return name.empty() ? "server" : name;
}

std::string server_name(const std::string& url, const Json& servers) {
  const std::string name = host_name(url);
  std::string free = name;
  for (int i = 2; servers.contains(free); ++i) free = fmt::format("{}-{}", name, i);
  return free;
}

/// Also without "http://" a user and a password may stand before the host.
std::string clean_address(const std::string& address) {
  if (address.find("://") != std::string::npos) return without_address_secrets(address);
  return without_address_secrets("://" + address).substr(3);
}

bool is_variable_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_alnum(c) || c == '_'; });
}

/// "{{env.KEY}}", "{{ env['KEY'] }}" and "${KEY}" are KEY; "": the text names no variable.
std::string named_variable(std::string_view text) {
  std::string bare;
  for (const char c : text) {
    if (std::string_view(" \t'\"[]").find(c) == std::string_view::npos) bare += c;
  }
  std::string name;
  if (bare.starts_with("{{env") && bare.ends_with("}}")) {
    name = bare.substr(5, bare.size() - 7);
    if (name.starts_with('.')) name.erase(0, 1);
  } else if (bare.starts_with("${") && bare.ends_with('}')) {
    name = bare.substr(2, bare.size() - 3);
  }
  return is_variable_name(name) ? name : std::string();
}

/// For the key of a server that no variable was named for. Variables that end so are kept from
/// tools.
std::string made_variable(const std::string& url) {
  std::string name = host_name(url);
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  const bool begins_with_digit = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
  return (begins_with_digit ? "SERVER_" : "") + name + "_API_KEY";
}

}  // namespace

std::optional<ForeignModelName> read_model_name(const std::string& id) {
  const std::vector<std::string> parts = parts_of(id);
  if (parts.size() < 2 || parts.back().empty()) return std::nullopt;
  const std::string& vendor = parts[0];
  const bool has_kind = parts.size() == 3;
  const std::string kind = has_kind ? parts[1] : "";
  const std::string after_vendor = id.substr(vendor.size() + 1);
  if (vendor == "openai" && (!has_kind || kind == "chat")) return {{"openai", parts.back()}};
  if (vendor == "openai" && kind == "responses") {
    return {{"openai", parts.back(),
             "asked at Chat Completions; a provider of kind openai-responses in the worker's "
             "configuration asks at /v1/responses"}};
  }
  if (vendor == "anthropic" && (!has_kind || kind == "messages")) {
    return {{"anthropic", parts.back()}};
  }
  if (vendor != "ollama" && vendor != "localai" && vendor != "vllm") return std::nullopt;
  if (kind == "embeddings" || kind == "completion" || kind == "embedding") return std::nullopt;
  // A tag is part of an Ollama model's name: "ollama:llama3:8b".
  const bool is_chat = kind == "chat";
  return {{"local", is_chat ? parts.back() : after_vendor}};
}

Json model_json(const TakenModel& model) {
  Json json = {{"model", model.model}, {"provider", model.provider}};
  if (!model.name.empty()) json["name"] = model.name;
  if (!model.params.empty()) json["params"] = model.params;
  return json;
}

std::vector<TakenModel> ForeignModels::take_all(const ConfigNode& providers) {
  std::vector<TakenModel> models;
  if (providers.json().is_array()) {
    for (const ConfigNode& one : providers.items()) take_into(one, models);
  } else {
    take_into(providers, models);
  }
  std::set<std::string> names;
  for (TakenModel& model : models) {
    const std::string base = model.name.empty() ? model.model : model.name;
    std::string name = base;
    for (int i = 2; !names.insert(name).second; ++i) name = fmt::format("{}-{}", base, i);
    if (name != base) model.name = name;
  }
  return models;
}

void ForeignModels::take_into(const ConfigNode& provider, std::vector<TakenModel>& models) {
  const std::string id =
      provider.json().is_string() ? provider.json().get<std::string>() : provider.text("id");
  const std::string path = path_of_url(id);
  if (!path.empty() && !is_program_path(path)) {
    const auto parsed = read_config(files_, path);
    if (!parsed) return notes_.not_taken(provider, "provider " + id, parsed.error().message);
    for (TakenModel& model : take_all(*parsed)) models.push_back(std::move(model));
    return;
  }
  if (auto model = take(provider)) models.push_back(*std::move(model));
}

std::optional<TakenModel> ForeignModels::take_id(const std::string& id, const ConfigNode& at) {
  if (without_address_secrets(id) != id) {
    notes_.not_taken(at, "provider", "holds an address with a password; passwords are not copied");
    return std::nullopt;
  }
  const auto name = read_model_name(id);
  if (!name) {
    notes_.not_taken(at, "provider " + excerpt(id, 80),
                     "no such provider is built in; a server that speaks OpenAI's protocol can be "
                     "named under llm.providers of the worker's configuration");
    return std::nullopt;
  }
  if (!name->difference.empty()) notes_.differs(at, "provider " + id, name->difference);
  return TakenModel{.provider = name->provider, .model = name->model, .name = {}};
}

std::optional<TakenModel> ForeignModels::take(const ConfigNode& provider) {
  if (provider.json().is_string()) return take_id(provider.json().get<std::string>(), provider);
  if (!provider.json().is_object()) {
    notes_.not_taken(provider, "provider", "is neither a text nor a mapping");
    return std::nullopt;
  }
  // {"openai:gpt-4.1": {config: ...}} is the older form.
  const auto members = provider.members();
  if (members.size() == 1 && members[0].first.find(':') != std::string::npos) {
    auto model = take_id(members[0].first, provider);
    if (!model) return model;
    model->name = members[0].second.text("label");
    if (const auto config = members[0].second.find("config")) take_config(*config, *model);
    return model;
  }
  auto model = take_id(provider.text("id"), provider);
  if (!model) return model;
  model->name = provider.text("label");
  for (const auto& [key, value] : members) {
    const bool is_known =
        std::any_of(std::begin(kIgnoredProviderKeys), std::end(kIgnoredProviderKeys),
                    [&key = key](const char* known) { return key == known; });
    if (is_known) continue;
    notes_.not_taken(value, key,
                     key == "prompts" ? "every model is asked every prompt; run the prompts apart"
                                      : "a model has no such setting here");
  }
  if (const auto config = provider.find("config")) take_config(*config, *model);
  return model;
}

void ForeignModels::take_config(const ConfigNode& config, TakenModel& model) {
  for (const auto& [key, value] : config.members()) {
    if (kServerKeys.contains(key) || take_param(key, value, model)) continue;
    notes_.not_taken(value, key,
                     "llm.chat has no such param; extra_body takes what a server of your own "
                     "knows");
  }
  take_server(config, model);
}

bool ForeignModels::take_param(const std::string& key, const ConfigNode& value, TakenModel& model) {
  if (key == "reasoning") {
    if (const std::string effort = value.text("effort"); !effort.empty()) {
      model.params["reasoning_effort"] = effort;
      return true;
    }
    return false;
  }
  const auto name = kParamNames.find(key);
  if (name == kParamNames.end()) return false;
  Json param = value.json();
  const std::string path = param.is_string() ? path_of_url(param.get<std::string>()) : "";
  if (!path.empty() && !is_program_path(path)) {
    const auto parsed = read_config(files_, path);
    if (!parsed) {
      notes_.not_taken(value, key, parsed.error().message);
      return true;
    }
    param = parsed->json();
  }
  CleanValue clean = without_secrets(param, key);
  for (const std::string& at : clean.left_out) {
    notes_.not_taken(value, at,
                     "secrets are never copied; api_key_env in the worker's configuration names "
                     "the variable with the key");
  }
  if (!clean.left_out.empty() && clean.value.empty()) return true;
  param = std::move(clean.value);
  if (const std::string problem = param_problem(name->second, param); !problem.empty()) {
    notes_.not_taken(value, key, "llm.chat does not take it: " + problem);
    return true;
  }
  model.params[name->second] = std::move(param);
  return true;
}

std::string ForeignModels::key_variable(const ConfigNode& config, const std::string& url) {
  std::string variable = config.text("apiKeyEnvar");
  if (!variable.empty() && !is_variable_name(variable)) {
    notes_.not_taken(*config.find("apiKeyEnvar"), "apiKeyEnvar", "is no name of a variable");
    variable.clear();
  }
  const auto key = config.find("apiKey");
  const std::string named = named_variable(config.text("apiKey"));
  if (variable.empty()) variable = named;
  const bool has_password = url != config.text("apiBaseUrl");
  const bool has_key = key && named.empty();
  if (variable.empty() && !url.empty() && (has_password || has_key)) variable = made_variable(url);
  const std::string next = variable.empty()
                               ? "put it into the environment, or in a file that the worker's "
                                 "configuration names"
                               : fmt::format("the key is taken from the variable {}", variable);
  if (has_key) notes_.not_taken(*key, "apiKey", "keys are never copied; " + next);
  if (has_password) {
    notes_.not_taken(*config.find("apiBaseUrl"), "password in apiBaseUrl",
                     "passwords and keys in an address are never copied; " + next);
  }
  return variable;
}

void ForeignModels::take_server(const ConfigNode& config, TakenModel& model) {
  const std::string url = clean_address(config.text("apiBaseUrl"));
  const std::string key = key_variable(config, url);
  if (url.empty() && key.empty()) return;
  Json server = {{"kind", model.provider == "anthropic" ? "anthropic" : "openai"}};
  if (!url.empty()) server["base_url"] = url;
  if (!key.empty()) server["api_key_env"] = key;
  for (const auto& [name, known] : servers_.items()) {
    if (known == server) {
      model.provider = name;
      return;
    }
  }
  const std::string name = server_name(url.empty() ? key : url, servers_);
  servers_[name] = std::move(server);
  model.provider = name;
}

}  // namespace filecall::client
