// SPDX-License-Identifier: MIT
#include "spool/name_list.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace filecall::spool {
namespace {

TEST(NameList, SortsAndFinds) {
  Random random(7);
  NameList list;
  std::multiset<std::string> model;
  for (int i = 0; i < 2000; ++i) {
    std::string name = random.hex(static_cast<int>(1 + random.below(6)));
    list.add(name);
    model.insert(std::move(name));
  }
  list.sort();
  ASSERT_EQ(list.size(), model.size());
  std::size_t i = 0;
  for (const std::string& name : model) EXPECT_EQ(list[i++], name);
  for (int n = 0; n < 2000; ++n) {
    const std::string name = random.hex(3);
    EXPECT_EQ(list.contains_sorted(name), model.contains(name));
  }
  EXPECT_FALSE(list.contains_sorted(*model.begin(), list.size()));
}

TEST(NameHashSet, AgreesWithASet) {
  Random random(8);
  NameHashSet set;
  std::set<std::string> model;
  EXPECT_FALSE(set.contains("x"));
  for (int i = 0; i < 5000; ++i) {
    const std::string name = random.hex(3);
    EXPECT_EQ(set.insert(name), model.insert(name).second);
  }
  EXPECT_EQ(set.size(), model.size());
  for (int i = 0; i < 4096; ++i) {
    const std::string name = random.hex(3);
    EXPECT_EQ(set.contains(name), model.contains(name));
  }
}

}  // namespace
}  // namespace filecall::spool
