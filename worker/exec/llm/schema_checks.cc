// SPDX-License-Identifier: MIT
#include "worker/exec/llm/schema_checks.h"

#include <utility>

#include "loop/pool_work.h"

namespace filecall::worker::llm {
namespace {

/// Of the pool's threads; the others publish answers.
constexpr int kAtOnceMax = 2;

}  // namespace

void SchemaChecks::compile(const Json& schema, std::function<void(Result<Validator>)> then) {
  const Hash128 hash = SchemaCache::hash_of(schema);
  if (Validator known = cache_.find(hash)) return then(std::move(known));
  const auto compiled = std::make_shared<Result<Validator>>(Validator());
  add({[schema, compiled] {
         auto validator = SchemaValidator::compile(schema);
         if (validator) {
           *compiled = std::make_shared<const SchemaValidator>(std::move(*validator));
         } else {
           *compiled = Unexpected(std::move(validator).error());
         }
       },
       [this, hash, compiled, then = std::move(then)] {
         if (*compiled) cache_.keep(hash, **compiled);
         then(std::move(*compiled));
       }});
}

void SchemaChecks::check(std::string text, Validator validator,
                         std::function<void(StructuredAnswer)> then) {
  const auto answer = std::make_shared<StructuredAnswer>();
  add({[text = std::move(text), validator = std::move(validator), answer] {
         *answer = read_structured(text, validator.get());
       },
       [answer, then = std::move(then)] { then(std::move(*answer)); }});
}

void SchemaChecks::add(Job job) {
  waiting_.push_back(std::move(job));
  start_next();
}

void SchemaChecks::start_next() {
  if (waiting_.empty() || running_ >= kAtOnceMax) return;
  Job job = std::move(waiting_.front());
  waiting_.pop_front();
  ++running_;
  run_in_pool(loop_, std::move(job.work),
              [this, is_alive = std::weak_ptr<bool>(is_alive_), after = std::move(job.after)] {
                if (is_alive.expired()) return;
                --running_;
                after();
                start_next();
              });
}

}  // namespace filecall::worker::llm
