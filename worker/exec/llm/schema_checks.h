// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "worker/exec/llm/schema_cache.h"

namespace filecall::worker::llm {

/// Compiles the schemas of requests and holds answers against them on threads of the loop's pool,
/// a few at once: a schema and a value that ask for all that is allowed take a second. Loop
/// thread only; what is called back after it is gone is dropped.
class SchemaChecks {
 public:
  using Validator = std::shared_ptr<const SchemaValidator>;

  explicit SchemaChecks(uv_loop_t* loop) : loop_(loop) {}

  /// `then` is called at once for a schema that was compiled already.
  /// Failure: invalid_argument, it is not a JSON Schema (draft-07).
  void compile(const Json& schema, std::function<void(Result<Validator>)> then);
  /// As read_structured() says. `then` is never called before this returns.
  void check(std::string text, Validator validator, std::function<void(StructuredAnswer)> then);

 private:
  struct Job {
    std::function<void()> work;   ///< On a thread of the pool; touches nothing of this.
    std::function<void()> after;  ///< On the loop.
  };
  void add(Job job);
  void start_next();

  uv_loop_t* loop_;
  SchemaCache cache_;
  std::deque<Job> waiting_;
  int running_ = 0;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace filecall::worker::llm
