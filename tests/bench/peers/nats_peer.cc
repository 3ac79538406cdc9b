// SPDX-License-Identifier: MIT
// NATS JetStream: two file-backed work-queue streams with push consumers, every message
// acknowledged. ADDRESS: nats://127.0.0.1:PORT. The server does not sync each message.
#include <nats/nats.h>

#include "peer_main.h"

namespace {

using namespace filecall::bench;

void need(natsStatus status, const char* what) { must(status == NATS_OK, what); }

class JetStream {
 public:
  JetStream(const std::string& url, bool is_worker)
      : in_(is_worker ? "jobs" : "answers"), out_(is_worker ? "answers" : "jobs") {
    need(natsConnection_ConnectTo(&connection_, url.c_str()), "connect");
    need(natsConnection_JetStream(&stream_, connection_, nullptr), "jetstream");
    for (const char* name : {"jobs", "answers"}) {
      jsStreamConfig config;
      jsStreamConfig_Init(&config);
      config.Name = name;
      config.Subjects = &name;
      config.SubjectsLen = 1;
      config.Retention = js_WorkQueuePolicy;
      config.Storage = js_FileStorage;
      js_AddStream(nullptr, stream_, &config, nullptr, nullptr);  // It may be there already.
    }
    need(js_SubscribeSync(&subscription_, stream_, in_, nullptr, nullptr, nullptr), "subscribe");
  }
  ~JetStream() { natsSubscription_Unsubscribe(subscription_); }

  void serve() {
    for (;;) take(true);
  }
  void send(const char* body) {
    need(js_PublishAsync(stream_, out_, body, static_cast<int>(std::strlen(body)), nullptr),
         "send");
  }
  int receive() {
    take(false);
    return 1;
  }

 private:
  void take(bool is_answered) {
    natsMsg* message = nullptr;
    need(natsSubscription_NextMsg(&message, subscription_, 600'000), "next message");
    if (is_answered) {
      need(js_PublishAsync(stream_, out_, natsMsg_GetData(message), natsMsg_GetDataLength(message),
                           nullptr),
           "answer");
    }
    need(natsMsg_Ack(message, nullptr), "ack");
    natsMsg_Destroy(message);
  }

  const char *in_, *out_;
  natsConnection* connection_ = nullptr;
  jsCtx* stream_ = nullptr;
  natsSubscription* subscription_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) { return peer_main<JetStream>(argc, argv); }
