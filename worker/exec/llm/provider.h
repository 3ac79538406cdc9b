// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "worker/exec/llm/breaker.h"
#include "worker/exec/llm/chat_codec.h"
#include "worker/exec/llm/error_table.h"
#include "worker/exec/llm/llm_config.h"
#include "worker/exec/llm/outage.h"
#include "worker/exec/llm/script/script_player.h"
#include "worker/exec/llm/secrets.h"
#include "worker/net/http_message.h"

namespace filecall::worker::llm {

inline constexpr std::size_t kKeyFileBytesMax = 64 * 1024;

/// A configured provider at work: its key, and what is known of its state. Loop thread only.
class Provider {
 public:
  /// Reads the key from where the configuration says. A key that is not there is no failure of the
  /// worker: key_problem() tells the caller.
  Provider(ProviderConfig config, const std::map<std::string, std::string>& environment,
           Duration breaker_pause);

  const ProviderConfig& config() const { return config_; }
  const std::string& name() const { return config_.name; }
  Dialect dialect() const { return {config_.kind, config_.profile, config_.max_tokens}; }
  /// What is taken out of all that comes back.
  const Secrets& secrets() const { return secrets_; }
  /// Empty: the key is there, or none is needed.
  const std::string& key_problem() const { return key_problem_; }
  bool has_key() const { return !key_.empty(); }
  /// What answers in place of a server; null: a server does, or script_problem() says why not.
  ScriptPlayer* script() const { return script_.get(); }
  const std::string& script_problem() const { return script_problem_; }

  /// A searched provider was found.
  void settle(std::string base_url, const Profile& profile);
  bool is_settled() const { return !config_.base_url.empty(); }

  /// A request with the provider's headers. `path` begins with a slash.
  HttpRequest make_request(std::string_view method, std::string_view path, std::string body) const;
  /// The path of its list of models.
  std::string models_path() const;

  /// Why a call to that model would fail now; nullopt: it may be sent.
  std::optional<std::string> refusal(const std::string& model, MonotonicTime now);
  /// Whether it can be reached.
  Outage& outage() { return outage_; }
  /// Failures and successes as they come.
  void note(const Verdict& verdict, const std::string& model, const std::string& message,
            MonotonicTime now);
  void note_success(const std::string& model);
  /// What is broken, one line; empty when nothing is.
  std::string problem() const;

 private:
  void read_script_file();
  Result<std::string> read_key(const std::map<std::string, std::string>& environment) const;

  ProviderConfig config_;
  Secret key_;
  Secrets secrets_;
  std::string key_problem_;
  std::unique_ptr<ScriptPlayer> script_;
  std::string script_problem_;
  Duration breaker_pause_;
  Breaker of_key_;
  Outage outage_;
  std::map<std::string, Breaker> of_model_;
};

/// `base` with the path appended, before a query if it has one.
std::string join_url(std::string_view base, std::string_view path);

}  // namespace filecall::worker::llm
