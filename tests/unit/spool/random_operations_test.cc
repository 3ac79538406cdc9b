// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "temporary_root.h"

namespace filecall::spool {
namespace {

/// What must hold whatever anybody does to the files: a request that stays without a response is
/// handed out, exactly once per time it became pending.
class RandomOperations : public testing::TestWithParam<int> {
 protected:
  static constexpr int kStems = 12;

  std::string stem() { return "s" + std::to_string(random_.below(kStems)); }
  std::string request(const std::string& stem) { return root_.layout().request(stem); }
  std::string response(const std::string& stem) { return root_.layout().response(stem); }

  void drop(const std::string& stem) {
    const std::string text = request_text(stem);
    switch (random_.below(4)) {
      case 0:
        return write_text(request(stem), text);
      case 1:
        write_text(root_.path() + "/t", text);
        return std::filesystem::rename(root_.path() + "/t", request(stem));
      case 2:
        write_text(root_.path() + "/t", text);
        std::filesystem::remove(request(stem));
        std::filesystem::create_hard_link(root_.path() + "/t", request(stem));
        return;
      default: {
        const UniqueFd fd(::open(request(stem).c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600));
        ASSERT_EQ(::write(fd.get(), text.data(), 7), 7);
        driver_->turn(milliseconds(0));
        ASSERT_GT(::write(fd.get(), text.data() + 7, text.size() - 7), 0);
      }
    }
  }

  void step() {
    const std::string stem = this->stem();
    switch (random_.below(9)) {
      case 0:
      case 1:
      case 2:
        return drop(stem);
      case 3:
        std::filesystem::remove(request(stem));
        return;
      case 4:
        std::filesystem::remove(response(stem));
        return;
      case 5:
        return answer_one();
      case 6:
        return give_back_one();
      case 7:
        return write_text(root_.layout().requests() + "/.x." + stem, "noise");
      default:
        driver_->turn(milliseconds(random_.below(2) == 0 ? 0 : 1));
    }
  }

  /// Held: handed out more often than released.
  std::vector<std::string> held() {
    std::vector<std::string> out;
    for (const auto& [stem, times] : driver_->taken()) {
      EXPECT_LE(times - released_[stem], 1) << stem << " was handed out while it was held";
      if (times > released_[stem]) out.push_back(stem);
    }
    return out;
  }
  void answer_one() {
    const auto names = held();
    if (names.empty()) return;
    const std::string& name = names[random_.below(names.size())];
    ASSERT_TRUE(driver_->medium().publish(name, "{}", {}));
    ++released_[name];
    driver_->reader().release(name, true);
  }
  void give_back_one() {
    const auto names = held();
    if (names.empty()) return;
    const std::string& name = names[random_.below(names.size())];
    ++released_[name];
    driver_->reader().release(name, false);
  }
  bool is_pending(const std::string& stem) {
    return exists(request(stem)) && !exists(response(stem));
  }

  TemporaryRoot root_;
  Random random_{static_cast<std::uint64_t>(GetParam())};
  std::unique_ptr<ReaderDriver> driver_;
  std::map<std::string, int> released_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomOperations, testing::Range(0, 24));

TEST_P(RandomOperations, LeaveNoRequestBehindAndHandNoneOutTwice) {
  auto options = ReaderDriver::defaults();
  options.settle = milliseconds(2);
  options.force_poll = GetParam() % 3 == 2;
  driver_ = std::make_unique<ReaderDriver>(root_, options);
  for (int i = 0; i < 400; ++i) step();

  // Quiet: whoever is held is answered, until nothing is pending.
  ASSERT_TRUE(driver_->until([&] {
    answer_one();
    for (int i = 0; i < kStems; ++i) {
      if (is_pending("s" + std::to_string(i))) return false;
    }
    return held().empty() && driver_->reader().is_drained();
  }));
  const auto before = driver_->taken();
  driver_->run_for(milliseconds(20));
  EXPECT_EQ(driver_->taken(), before) << "nothing that is answered is handed out";
  for (int i = 0; i < kStems; ++i) {
    const std::string stem = "s" + std::to_string(i);
    EXPECT_EQ(exists(request(stem)) && !exists(response(stem)), false) << stem;
  }
}

}  // namespace
}  // namespace filecall::spool
