// SPDX-License-Identifier: MIT
#include "worker/exec/llm/provider.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/version.h"
#include "ipc/setting_digest.h"
#include "os/io.h"
#include "worker/exec/llm/script/script_reader.h"

namespace filecall::worker::llm {
namespace {

/// Broken models that are remembered; names come from requests, so there may be any number.
constexpr std::size_t kBrokenModelsMax = 1000;

}  // namespace

std::string join_url(std::string_view base, std::string_view path) {
  const auto query = base.find('?');
  std::string_view front = base.substr(0, query);
  while (front.ends_with('/')) front.remove_suffix(1);
  const std::string_view rest = query == std::string_view::npos ? "" : base.substr(query);
  return fmt::format("{}{}{}", front, path, rest);
}

Provider::Provider(ProviderConfig config, const std::map<std::string, std::string>& environment,
                   Duration breaker_pause)
    : config_(std::move(config)), breaker_pause_(breaker_pause), of_key_(breaker_pause) {
  auto key = read_key(environment);
  if (key) {
    key_ = Secret(std::move(*key));
  } else {
    key_problem_ = key.error().message;
  }
  if (config_.is_scripted()) read_script_file();
  secrets_.add(key_);
  for (const auto& [name, value] : config_.headers) {
    if (!is_credential_header(name, value)) continue;
    secrets_.add(Secret(value));
    // Behind a scheme: "Bearer ...".
    if (const auto blank = value.rfind(' '); blank != value.npos) {
      secrets_.add(Secret(value.substr(blank + 1)));
    }
  }
}

void Provider::read_script_file() {
  const auto text = read_file(config_.script, kScriptBytesMax);
  auto lines = text
                   ? read_script(*text, config_.script)
                   : Result<std::vector<ScriptLine>, std::string>(Unexpected(text.error().message));
  if (!lines) {
    script_problem_ = fmt::format("provider {}: script: {}", name(), lines.error());
    return;
  }
  script_ = std::make_unique<ScriptPlayer>(*std::move(lines), config_.script, config_.models);
}

Result<std::string> Provider::read_key(
    const std::map<std::string, std::string>& environment) const {
  std::string key;
  std::string source;
  if (!config_.api_key_file.empty()) {
    source = config_.api_key_file;
    TRY_ASSIGN(key, read_file(config_.api_key_file, kKeyFileBytesMax));
  } else if (!config_.api_key_env.empty()) {
    source = "$" + config_.api_key_env;
    const auto found = environment.find(config_.api_key_env);
    if (found != environment.end()) key = found->second;
  }
  key = std::string(trimmed_setting(key));
  if (key.empty() && config_.profile->is_key_needed) {
    return fail(ErrorCode::kUnauthenticated,
                source.empty() ? fmt::format("provider {}: no key; set api_key_env or api_key_file "
                                             "in its configuration",
                                             name())
                               : fmt::format("provider {}: no key in {}", name(), source));
  }
  const bool is_clean =
      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 127; });
  if (!is_clean) {
    return fail(
        ErrorCode::kUnauthenticated,
        fmt::format("provider {}: the key in {} is not a single word of ASCII", name(), source));
  }
  return key;
}

void Provider::settle(std::string base_url, const Profile& profile) {
  config_.base_url = std::move(base_url);
  config_.profile = &profile;
  config_.timeouts = profile.timeouts;
}

std::string Provider::models_path() const {
  return config_.kind == ProviderKind::kAnthropic ? "/v1/models" : "/models";
}

HttpRequest Provider::make_request(std::string_view method, std::string_view path,
                                   std::string body) const {
  HttpRequest request;
  request.method = method;
  std::string_view base = config_.base_url;
  // Anthropic's paths have the version in them, and people write it into the URL as well.
  while (base.ends_with('/')) base.remove_suffix(1);
  if (path.starts_with("/v1/") && base.ends_with("/v1")) base.remove_suffix(3);
  request.url = join_url(base, path);
  request.headers = {{"Content-Type", "application/json"},
                     {"User-Agent", fmt::format("filecall/{}", program_version())}};
  if (config_.kind == ProviderKind::kAnthropic) {
    request.headers.emplace_back("anthropic-version", "2023-06-01");
  }
  for (const auto& [name, value] : config_.headers) {
    if (is_credential_header(name, value)) {
      request.secret_headers.emplace_back(name, Secret(value));
    } else {
      request.headers.emplace_back(name, value);
    }
  }
  if (!key_.empty()) {
    switch (config_.profile->auth) {
      case AuthHeader::kBearer:
        request.secret_headers.emplace_back("Authorization", Secret("Bearer " + key_.reveal()));
        break;
      case AuthHeader::kApiKey:
        request.secret_headers.emplace_back("api-key", key_);
        break;
      case AuthHeader::kXApiKey:
        request.secret_headers.emplace_back("x-api-key", key_);
        break;
    }
  }
  request.body = std::move(body);
  request.proxy = config_.proxy;
  request.ca_file = config_.ca_file;
  request.timeouts = config_.timeouts;
  request.body_bytes_max = config_.response_bytes;
  return request;
}

std::optional<std::string> Provider::refusal(const std::string& model, MonotonicTime now) {
  if (!of_key_.allows(now)) return of_key_.reason();
  const auto found = of_model_.find(model);
  if (found == of_model_.end() || found->second.allows(now)) return std::nullopt;
  return found->second.reason();
}

void Provider::note(const Verdict& verdict, const std::string& model, const std::string& message,
                    MonotonicTime now) {
  std::string reason = fmt::format("{}: {}", to_string(verdict.error_class), message);
  switch (verdict.breaker) {
    case BreakerScope::kNone:
      return;
    case BreakerScope::kKey:
      return of_key_.open(std::move(reason), now);
    case BreakerScope::kModel:
      if (of_model_.size() >= kBrokenModelsMax) of_model_.erase(of_model_.begin());
      of_model_.try_emplace(model, breaker_pause_).first->second.open(std::move(reason), now);
      return;
  }
}

void Provider::note_success(const std::string& model) {
  of_key_.close();
  of_model_.erase(model);
}

std::string Provider::problem() const {
  if (!key_problem_.empty()) return key_problem_;
  if (of_key_.is_open()) return of_key_.reason();
  if (outage_.is_open()) return "cannot be reached: " + outage_.reason();
  if (of_model_.empty()) return "";
  const auto& [model, breaker] = *of_model_.begin();
  return of_model_.size() == 1 ? fmt::format("model {}: {}", model, breaker.reason())
                               : fmt::format("{} models, one of them {}: {}", of_model_.size(),
                                             model, breaker.reason());
}

}  // namespace filecall::worker::llm
