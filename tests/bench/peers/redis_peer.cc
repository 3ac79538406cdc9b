// SPDX-License-Identifier: MIT
// Redis lists: LPUSH jobs -> BRPOP jobs, LPUSH answers -> BRPOP answers. ADDRESS: a port on
// 127.0.0.1; "PORT/batched" takes up to 256 messages a command (BLMPOP) and pushes them as one.
#include <hiredis/hiredis.h>

#include "peer_main.h"

namespace {

using namespace filecall::bench;

class Redis {
 public:
  Redis(const std::string& address, bool) : is_batched_(address.ends_with("/batched")) {
    context_ = redisConnect("127.0.0.1", std::atoi(address.c_str()));
    must(context_ && !context_->err, "redis");
  }

  void serve() {
    for (;;) {
      take("jobs");
      put("answers");
    }
  }

  void send(const char* body) {
    if (is_batched_) {
      waiting_.emplace_back(body);
      return;
    }
    messages_.assign(1, body);
    put("jobs");
  }

  int receive() {
    if (!waiting_.empty()) {
      messages_.swap(waiting_);
      put("jobs");
      waiting_.clear();
    }
    take("answers");
    return static_cast<int>(messages_.size());
  }

 private:
  void put(const char* list) {
    std::vector<const char*> words{"LPUSH", list};
    std::vector<std::size_t> sizes{5, std::strlen(list)};
    for (const auto& message : messages_) {
      words.push_back(message.data());
      sizes.push_back(message.size());
    }
    void* reply =
        redisCommandArgv(context_, static_cast<int>(words.size()), words.data(), sizes.data());
    must(reply != nullptr, "LPUSH");
    freeReplyObject(reply);
  }

  void take(const char* list) {
    auto* reply = static_cast<redisReply*>(
        is_batched_ ? redisCommand(context_, "BLMPOP 60 1 %s RIGHT COUNT 256", list)
                    : redisCommand(context_, "BRPOP %s 60", list));
    must(reply && reply->type == REDIS_REPLY_ARRAY, list);
    messages_.clear();
    const redisReply* values = reply->element[1];
    if (!is_batched_) messages_.emplace_back(values->str, values->len);
    for (std::size_t i = 0; is_batched_ && i < values->elements; ++i) {
      messages_.emplace_back(values->element[i]->str, values->element[i]->len);
    }
    freeReplyObject(reply);
  }

  redisContext* context_;
  bool is_batched_;
  std::vector<std::string> messages_, waiting_;
};

}  // namespace

int main(int argc, char** argv) { return peer_main<Redis>(argc, argv); }
