// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "base/random.h"
#include "client/turns/transcript.h"
#include "tests/unit/client/turns/talks.h"

namespace filecall::client {
namespace {

/// A world that answers each request in one way for ever, as a root does.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {}

  std::shared_ptr<const Response> answer(const Conversation::Ask& ask) {
    ++asked_[ask.request_id];
    auto& known = answers_[ask.request_id];
    if (known == nullptr) known = make(ask.command);
    return known;
  }
  std::shared_ptr<const Response> stored(const std::string& id) const {
    const auto found = answers_.find(id);
    return found == answers_.end() ? nullptr : found->second;
  }
  const std::map<std::string, int>& asked() const { return asked_; }

 private:
  std::shared_ptr<const Response> make(const std::string& command) {
    const auto dice = random_.below(12);
    const std::string word = std::to_string(random_.below(3));
    if (command == "tool.run") {
      if (dice == 0) return failed_with(ErrorCode::kAborted, "interrupted");
      return printed(word, dice < 3 ? 1 : 0);
    }
    if (dice == 0) return failed_with(ErrorCode::kInternal, "HTTP 500");
    if (dice == 1) return spoken("");
    if (dice < 5) return called({{"look", {{"city", word}}}, {"none", Json::object()}});
    if (dice == 5) return called({{"look", Json("broken")}, {"row", Json::object()}});
    if (dice == 6) return called({{"look", {{"city", "a"}}}, {"look", {{"city", "b"}}}});
    return spoken("answer " + word);
  }

  Random random_;
  std::map<std::string, std::shared_ptr<const Response>> answers_;
  std::map<std::string, int> asked_;
};

Json random_script(Random& random) {
  Json turns = Json::array();
  for (std::uint64_t i = 0; i <= random.below(5); ++i) {
    turns.push_back("turn " + std::to_string(random.below(2)));
  }
  return {{"turns", turns},
          {"tools", {{"look", {{"type", "object"}, {"required", {"city"}}}}}},
          {"tool_results", {{"row", {"first", "second"}}}},
          {"max_tool_rounds", random.below(4)}};
}

/// Goes on from what the world has stored, as after a crash; then asks, and is killed after
/// `steps` answers. What was asked and not answered is asked again.
Conversation drive(const Json& script, World& world, Random& random, int steps) {
  Conversation conversation = talk(script);
  std::vector<Conversation::Ask> open = conversation.take_asks();
  while (!open.empty()) {
    const auto at = open.begin() + static_cast<std::ptrdiff_t>(random.below(open.size()));
    const Conversation::Ask ask = *at;
    open.erase(at);
    auto response = world.stored(ask.request_id);
    if (response == nullptr) {
      if (steps-- == 0) return conversation;
      response = world.answer(ask);
    }
    conversation.take(ask.request_id, response);
    for (auto& next : conversation.take_asks()) open.push_back(std::move(next));
  }
  return conversation;
}

TEST(ConversationAtRandom, KilledAfterEachStepItAsksTheSameAndNothingTwice) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Json script = random_script(random);
    World whole(seed);
    const Conversation unbroken = drive(script, whole, random, 1000);
    World broken(seed);
    Conversation last = talk(script);
    for (int kills = 0; kills < 200; ++kills) {
      last = drive(script, broken, random, 1);
      if (last.state() != Conversation::State::kGoesOn) break;
    }
    ASSERT_NE(last.state(), Conversation::State::kGoesOn);
    for (const auto& [id, count] : broken.asked()) EXPECT_EQ(count, 1) << id;
    // However it went, reading the list and the answers shows what driving has seen.
    Conversation read(script_of(script_json(last.script())), last.first_id(), Json());
    std::vector<Conversation::Ask> asks = read.take_asks();
    for (std::size_t i = 0; i < asks.size(); ++i) {
      const auto stored = broken.stored(asks[i].request_id);
      if (stored != nullptr) read.take(asks[i].request_id, stored);
      for (auto& next : read.take_asks()) asks.push_back(std::move(next));
    }
    EXPECT_EQ(read.state(), last.state());
    EXPECT_EQ(transcript_of(read), transcript_of(last));
    EXPECT_LE(count_steps(unbroken).turns,
              static_cast<std::int64_t>(unbroken.script().turns.size()));
  }
}

TEST(ConversationAtRandom, IdsAreUniqueAndTheOrderOfParallelEndsDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Json script = random_script(random);
    World world(seed);
    const Conversation first = drive(script, world, random, 1000);
    const Conversation second = drive(script, world, random, 0);
    std::set<std::string> ids;
    for (const ConversationStep& step : first.steps()) {
      if (step.request_id.empty()) continue;
      EXPECT_TRUE(ids.insert(step.request_id).second);
    }
    EXPECT_EQ(transcript_of(first), transcript_of(second));
    EXPECT_EQ(first.reason(), second.reason());
  }
}

}  // namespace
}  // namespace filecall::client
