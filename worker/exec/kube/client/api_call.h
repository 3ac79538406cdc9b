// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/kube/client/api_reply.h"
#include "worker/exec/kube/client/credentials.h"
#include "worker/net/http_client.h"

namespace filecall::worker::kube {

/// One HTTP request to an API server, without address and credentials.
struct ApiRequest {
  std::string method = "GET";
  std::string path;  ///< See api_path.h; with its query.
  std::string accept = "application/json";
  std::string content_type = "application/json";
  std::string body;
  /// What `body` says, for the Redactor: answers and errors repeat it. Null: it holds no secret.
  Json body_object;
  /// An object of the kind `asked` that the answer is a later form of, as it came: what was hidden
  /// in it is hidden in the answer as well, under whatever name it stands then. Null: none.
  Json earlier_object;
  /// The kind of the objects in the answer, whatever the answer says of itself.
  ObjectKind asked;
  bool may_change = false;  ///< A write: a lost answer is ambiguous.
  std::optional<RevealPermit> reveal;
  HttpTimeouts timeouts{seconds(10), seconds(60), seconds(60), seconds(180)};
  std::size_t body_bytes_max = 64 * 1024 * 1024;
  /// Called when a good answer is here, before it is looked at; may be empty.
  std::function<void()> answered = nullptr;
  /// The answer is a text and no object (logs): more than body_bytes_max is cut off, not refused.
  bool is_text = false;
  /// Of a watch: gets each of its events as it comes; body_bytes_max bounds one of them. False: no
  /// more are wanted. Must not destroy the call: its end follows, with an empty answer.
  std::function<bool(ApiReply&)> on_event = nullptr;
};

/// A whole answer with a good status, or why there is none.
using ApiAnswer = Result<ApiReply, Failure>;

/// One exchange. Sent once; destroying it ends it, and nobody hears of it then. Loop thread only.
class ApiCall final : public HttpHandler {
 public:
  /// What calls to one cluster share; outlives them.
  struct Line {
    HttpClient& http;
    Credentials& credentials;
    const DigestKey& digest_key;
    std::shared_ptr<const RedactionRules> redaction = nullptr;
  };
  /// `done` is called once, perhaps before this returns, and may destroy the call.
  ApiCall(Line line, ApiRequest request, std::function<void(ApiAnswer)> done);
  ~ApiCall() override;
  void start();

  void on_head(int status, const HttpHeaders& headers) override;
  bool on_body(std::string_view bytes) override;
  void on_complete(int status) override;
  void on_done(const HttpResult& result) override;

 private:
  void send();
  void fail_with(Failure failure);
  bool take_events(std::string_view bytes);
  Redactor redactor() const;
  ApiReply reply_of(const HttpResult& result);

  Line line_;
  ApiRequest request_;
  std::function<void(ApiAnswer)> done_;
  std::vector<Secret> secrets_;
  std::unique_ptr<HttpTransfer> transfer_;
  std::string body_;
  int status_ = 0;
  bool is_cut_ = false;
  bool is_enough_ = false;  ///< The watch's reader wants no more.
  /// False once this is gone: a credential plugin may come back later.
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace filecall::worker::kube
