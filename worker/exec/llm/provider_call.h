// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "worker/exec/executor.h"
#include "worker/exec/llm/chat_data.h"
#include "worker/exec/llm/llm_service.h"

namespace filecall::worker::llm {

/// A provider's whole answer, or what its failure came to.
using Answer = Result<Json, Failure>;

/// One attempt at one call: refused by a breaker, or sent once. Gathers the body, judges how it
/// ended, keeps the breaker and takes the key out of whatever is answered. What a good body means
/// is for the classes below it. Loop thread only.
class ProviderCall : public Execution, public HttpHandler {
 public:
  ProviderCall(LlmService& service, Provider& provider, std::string model,
               std::function<void(Outcome)> done);
  ~ProviderCall() override;

  /// Finds the provider and sends. `make` builds the request once the address is known; it may
  /// change the call's model. `done` may be called before this returns.
  void start(std::function<Result<HttpRequest, Failure>(ProviderCall&)> make);

  void cancel() override;
  Json partial() const override { return partial_; }

  void on_head(int status, const HttpHeaders& headers) override;
  bool on_body(std::string_view bytes) override;
  void on_done(const HttpResult& result) override;

  const std::string& model() const { return facts_.model; }
  void set_model(std::string model) { facts_.model = std::move(model); }

 protected:
  /// A body that came whole, with a good status.
  virtual Answer read(const std::string& body, const HttpResult& result) = 0;
  /// How a transfer that went wrong, or a response with a bad status, is answered. The default is
  /// the table's verdict.
  virtual Answer judge_end(const HttpResult& result);
  /// Hands on what read() or judge_end() came to; a class that has more to do with a good answer
  /// does it first, and calls finish() later.
  virtual void settle(Answer answer) { finish(std::move(answer)); }
  /// Whether it was finished or cancelled.
  bool is_over() const { return !done_; }
  /// Called before the answer is handed on.
  virtual void on_answer(const Answer&) {}

  Failure fail(const Verdict& verdict, const WireError* error, const std::string& message);
  /// Adds for how long the provider cannot be reached; nothing while it can.
  void add_outage(Failure& failure, MonotonicTime now) const;
  Failure fail(const WireError& error, const HttpHeaders& headers);
  void finish(Answer answer);

  LlmService& service_;
  Provider& provider_;
  CallFacts facts_;
  std::string body_;
  std::string content_type_;
  std::unique_ptr<Transfer> transfer_;
  Json partial_;

 private:
  void send(const std::function<Result<HttpRequest, Failure>(ProviderCall&)>& make);

  std::function<void(Outcome)> done_;
  /// False once this is gone: a search for a provider may come back later.
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace filecall::worker::llm
