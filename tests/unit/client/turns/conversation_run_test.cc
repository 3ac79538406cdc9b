// SPDX-License-Identifier: MIT
#include "client/turns/runner/conversation_run.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>

namespace filecall::client {
namespace {

constexpr const char* kFirst =
    R"({"request_id":"a","command":"llm.chat","params":{"model":"m","prompt":"one"}})";

/// Gives what it was given, and then its end.
class Script final : public BatchSubmissions {
 public:
  explicit Script(std::deque<Offer> offers) : offers_(std::move(offers)) {}
  Result<Offer> next() override {
    if (offers_.empty()) return Offer::end();
    Offer offer = std::move(offers_.front());
    offers_.pop_front();
    if (offer.kind == Offer::Kind::kSubmission) {
      conversation_ = offer.submission.request_id == "a" ? R"({"turns":["two"]})" : "";
    }
    return offer;
  }
  const std::string& conversation() const override { return conversation_; }

 private:
  std::deque<Offer> offers_;
  std::string conversation_;
};

class Silent final : public RunObserver, public ConversationObserver {
 public:
  void on_outcome(const RequestOutcome&) override {}
  void on_progress(const RunProgress&) override {}
  void on_notice(const std::string&) override {}
  void on_step(const RequestOutcome&, bool) override {}
  void on_conversation(const ConversationEnd&, const RequestOutcome&) override {}
  void on_requests_added(std::int64_t) override {}
};

TEST(ConversationRun, ATurnWithoutARequestBeginsNoConversation) {
  std::deque<Offer> offers;
  offers.push_back(Offer::of({"a", "llm.chat", kFirst}));
  offers.push_back(Offer::next_turn());
  offers.push_back(Offer::not_yet());
  offers.push_back(Offer::of({"b", "llm.chat", "{}"}));
  Script script(std::move(offers));
  const spool::Layout layout("/nowhere");
  Silent silent;
  ConversationRun run(script, layout, silent, silent);
  std::string kinds;
  for (int i = 0; i < 5; ++i) {
    const auto offer = run.next();
    ASSERT_TRUE(offer);
    switch (offer->kind) {
      case Offer::Kind::kSubmission:
        kinds += offer->submission.request_id;
        break;
      case Offer::Kind::kNextTurn:
        kinds += '>';
        break;
      case Offer::Kind::kNotYet:
        kinds += '?';
        break;
      case Offer::Kind::kEnd:
        kinds += '.';
        break;
    }
  }
  EXPECT_EQ(kinds, "a>?b?");
}

}  // namespace
}  // namespace filecall::client
