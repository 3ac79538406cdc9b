// SPDX-License-Identifier: MIT
#include "client/core/provider_catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/nearest.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/schema_catalog.h"

namespace filecall::client {
namespace {

constexpr std::array<std::string_view, 15> kOptional = {"temperature",
                                                        "top_p",
                                                        "top_k",
                                                        "stop",
                                                        "seed",
                                                        "frequency_penalty",
                                                        "presence_penalty",
                                                        "n",
                                                        "response_format",
                                                        "tools",
                                                        "tool_choice",
                                                        "logprobs",
                                                        "top_logprobs",
                                                        "reasoning_effort",
                                                        "parallel_tool_calls"};

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Whether a member says anything.
bool is_asked(const Json& params, std::string_view name) {
  const auto found = params.find(name);
  if (found == params.end() || found->is_null()) return false;
  if (name == "logprobs") return *found == true;
  if (name == "n") return *found != 1;
  return !found->is_array() || !found->empty();
}

bool fits_one(const std::vector<std::string>& entries, std::string_view model) {
  return std::any_of(entries.begin(), entries.end(), [&](std::string_view entry) {
    if (!entry.ends_with('*')) return model == entry;
    return model.starts_with(entry.substr(0, entry.size() - 1));
  });
}

/// The members of a command's params; empty: any, or nobody knows the command.
std::set<std::string, std::less<>> read_members(std::string_view command) {
  const auto text = find_schema(fmt::format("command.{}", command));
  if (!text) return {};
  const auto schema = parse_json_strict(*text, limits::kDepthMax);
  if (!schema || schema->value("additionalProperties", Json(true)) != false) return {};
  std::set<std::string, std::less<>> members;
  for (const auto& [name, rule] : schema->at("properties").items()) members.insert(name);
  return members;
}

const std::set<std::string, std::less<>>& members_of(std::string_view command) {
  thread_local std::map<std::string, std::set<std::string, std::less<>>, std::less<>> known;
  const auto found = known.find(command);
  if (found != known.end()) return found->second;
  // A name that nobody knows comes from the input: there may be any number of them.
  static const std::set<std::string, std::less<>> kNone;
  if (!find_schema(fmt::format("command.{}", command))) return kNone;
  return known.emplace(command, read_members(command)).first->second;
}

std::string unknown_name(std::string_view command, const Json& params) {
  const auto& members = members_of(command);
  if (members.empty()) return {};
  for (const auto& [name, value] : params.items()) {
    if (members.contains(name)) continue;
    const std::vector<std::string_view> names(members.begin(), members.end());
    return fmt::format("/params/{}: {} has no such member{}", name, command, suggest(name, names));
  }
  return {};
}

std::string unknown_provider(const ProviderCatalog& catalog, std::string_view name) {
  std::vector<std::string_view> names;
  for (const WorkerProvider& provider : catalog.providers) names.push_back(provider.name);
  return fmt::format("/params/provider: the worker has no provider '{}'{}", name,
                     suggest(name, names));
}

}  // namespace

const WorkerProvider* ProviderCatalog::find(std::string_view provider,
                                            std::string_view model) const {
  if (providers.empty()) return nullptr;
  std::string_view wanted = provider;
  if (wanted.empty()) {
    for (const WorkerProvider& one : providers) {
      if (!model.empty() && fits_one(one.models, model)) return &one;
    }
    wanted = default_provider;
    if (wanted.empty()) return &providers.front();
  }
  for (const WorkerProvider& one : providers) {
    if (one.name == wanted) return &one;
  }
  return nullptr;
}

bool has_optional_params(std::string_view command, const Json& params) {
  if (command != "llm.chat" || !params.is_object()) return false;
  if (params.contains("provider")) return true;
  return std::any_of(kOptional.begin(), kOptional.end(),
                     [&](std::string_view name) { return is_asked(params, name); });
}

std::string params_complaint(std::string_view command, const Json& params,
                             const ProviderCatalog& catalog) {
  if (!params.is_object()) return {};
  if (std::string unknown = unknown_name(command, params); !unknown.empty()) return unknown;
  if (command != "llm.chat" || catalog.providers.empty()) return {};
  const std::string name = text_in(params, "provider");
  const WorkerProvider* provider = catalog.find(name, text_in(params, "model"));
  if (provider == nullptr) return name.empty() ? "" : unknown_provider(catalog, name);
  // What a server on this machine is shows only when it is asked.
  if (provider->params.empty()) return {};
  for (const std::string_view option : kOptional) {
    const bool is_taken = std::find(provider->params.begin(), provider->params.end(), option) !=
                          provider->params.end();
    if (is_taken || !is_asked(params, option)) continue;
    return fmt::format(
        "/params/{}: provider {} (kind {}, profile {}) does not take it; leave it out, or say it "
        "in extra_body in that provider's own words",
        option, provider->name, provider->kind, provider->profile);
  }
  return {};
}

}  // namespace filecall::client
