// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/credentials.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "os/clock.h"
#include "worker/exec/kube/client/certificate_end.h"

namespace filecall::worker::kube {
namespace {

/// A credential that is about to expire would do so on its way.
constexpr Duration kExpiryMargin = seconds(10);

bool is_header_safe(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// The key of Impersonate-Extra-: bytes that no header name may have are percent-encoded, and the
/// percent sign too (client-go: transport/round_trippers.go).
std::string escape_header_key(std::string_view key) {
  constexpr std::string_view kOthers = "!#$&'*+-.^_`|~";
  std::string out;
  for (const char c : key) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_word || kOthers.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace

Credentials::Credentials(uv_loop_t* loop, PluginRules rules, ClusterAccess access,
                         Environment environment)
    : loop_(loop),
      rules_(std::move(rules)),
      access_(std::move(access)),
      environment_(std::move(environment)),
      authority_(access_.cluster.authority_file),
      certificate_(access_.user.certificate_file),
      key_(access_.user.key_file),
      token_(access_.user.token_file) {}

bool Credentials::uses_plugin() const {
  const UserEntry& user = access_.user;
  const bool has_other = !user.token.empty() || token_.is_used() || !user.username.empty() ||
                         certificate_.is_used() || !user.certificate_data.empty();
  return access_.has_tls() && user.exec && !has_other;
}

bool Credentials::is_current(WallTime now) const {
  return from_plugin_ &&
         (!from_plugin_->expires_at || now < *from_plugin_->expires_at - kExpiryMargin);
}

void Credentials::prepare(std::function<void(const Error* error)> then) {
  if (!uses_plugin() || is_current(wall_now())) return then(nullptr);
  if (run_) {
    waiting_.push_back(std::move(then));
    return;
  }
  std::string authorities = access_.cluster.authority_data;
  if (authority_.is_used()) {
    // sign() will tell when it cannot be read.
    if (const auto text = authority_.text(monotonic_now())) authorities = text->reveal();
  }
  auto run = PluginRun::start(loop_, rules_, access_, authorities, environment_,
                              [this](Result<Credential> c) { finish_plugin(std::move(c)); });
  if (!run) return then(&run.error());
  run_ = std::move(*run);
  waiting_.push_back(std::move(then));
}

void Credentials::finish_plugin(Result<Credential> credential) {
  run_.reset();
  from_plugin_.reset();
  std::optional<Error> error;
  if (credential) {
    from_plugin_ = std::move(*credential);
  } else {
    error = credential.error();
  }
  for (const auto& then : std::exchange(waiting_, {})) then(error ? &*error : nullptr);
}

bool Credentials::refuse() {
  const bool is_renewable = from_plugin_.has_value() || token_.is_used() || certificate_.is_used();
  from_plugin_.reset();
  for (RereadFile* file : {&authority_, &certificate_, &key_, &token_}) file->forget();
  return is_renewable;
}

std::optional<WallTime> Credentials::expired_certificate(WallTime now) {
  HttpTls tls;
  if (!add_certificate(tls) || tls.certificate.empty()) return std::nullopt;
  const auto end = certificate_end(tls.certificate);
  return end && *end < now ? end : std::nullopt;
}

Result<void> Credentials::add_trust(HttpTls& tls) {
  tls.server_name = access_.cluster.tls_server_name;
  tls.is_verified = !access_.cluster.is_insecure;
  tls.authorities = access_.cluster.authority_data;
  if (authority_.is_used()) {
    TRY_ASSIGN(const Secret text, authority_.text(monotonic_now()));
    tls.authorities = text.reveal();
  }
  return {};
}

Result<void> Credentials::add_certificate(HttpTls& tls) {
  const UserEntry& user = access_.user;
  if (from_plugin_ && !from_plugin_->certificate.empty()) {
    tls.certificate = from_plugin_->certificate;
    tls.key = from_plugin_->key;
    return {};
  }
  tls.certificate = user.certificate_data;
  tls.key = user.key_data;
  if (certificate_.is_used()) {
    TRY_ASSIGN(const Secret text, certificate_.text(monotonic_now()));
    tls.certificate = text.reveal();
  }
  if (key_.is_used()) {
    TRY_ASSIGN(tls.key, key_.text(monotonic_now()));
  }
  return {};
}

Result<std::optional<Secret>> Credentials::authorization() {
  const UserEntry& user = access_.user;
  if (!user.username.empty() || !user.password.empty()) {
    const std::string pair = user.username + ":" + user.password.reveal();
    return std::optional(Secret("Basic " + base64_encode(pair)));
  }
  Secret token = user.token;
  if (token_.is_used()) {
    TRY_ASSIGN(token, token_.text(monotonic_now()));
  } else if (from_plugin_) {
    token = from_plugin_->token;
  }
  if (token.empty()) return std::optional<Secret>();
  if (!is_header_safe(token.reveal())) {
    return fail(ErrorCode::kUnauthenticated,
                fmt::format("context {}: the token has control characters in it", access_.context));
  }
  return std::optional(Secret("Bearer " + token.reveal()));
}

Result<void> Credentials::add_impersonation(HttpRequest& request) const {
  const UserEntry& user = access_.user;
  if (user.as.empty()) return {};
  const std::size_t before = request.headers.size();
  request.headers.emplace_back("Impersonate-User", user.as);
  if (!user.as_uid.empty()) request.headers.emplace_back("Impersonate-Uid", user.as_uid);
  for (const std::string& group : user.as_groups) {
    request.headers.emplace_back("Impersonate-Group", group);
  }
  for (const auto& [key, values] : user.as_extra) {
    for (const std::string& value : values) {
      request.headers.emplace_back("Impersonate-Extra-" + escape_header_key(key), value);
    }
  }
  const bool is_safe =
      std::all_of(request.headers.begin() + static_cast<std::ptrdiff_t>(before),
                  request.headers.end(), [](const auto& h) { return is_header_safe(h.second); });
  if (is_safe) return {};
  return fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("context {}: impersonation has control characters in it", access_.context));
}

Result<void> Credentials::sign(HttpRequest& request, std::vector<Secret>& secrets) {
  if (!access_.has_tls()) return {};
  TRY(add_trust(request.tls));
  TRY(add_certificate(request.tls));
  TRY_ASSIGN(const auto header, authorization());
  if (header) {
    secrets.push_back(Secret(header->reveal().substr(header->reveal().find(' ') + 1)));
    request.secret_headers.emplace_back("Authorization", *header);
  }
  if (!access_.user.password.empty()) secrets.push_back(access_.user.password);
  return add_impersonation(request);
}

}  // namespace filecall::worker::kube
