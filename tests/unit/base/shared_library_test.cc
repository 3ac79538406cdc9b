// SPDX-License-Identifier: MIT
#include "base/shared_library.h"

#include <gtest/gtest.h>

#include <cmath>

namespace filecall {
namespace {

TEST(SharedLibrary, FindsAFunctionOfItsHeadersType) {
  const auto library = SharedLibrary::load("libm.so.6");
  ASSERT_TRUE(library) << library.error().message;
  double (*root)(double) = nullptr;
  ASSERT_TRUE(library->find("sqrt", &root));
  EXPECT_EQ(root(9), 3);
}

TEST(SharedLibrary, NamesWhatIsNotInstalled) {
  const auto library = SharedLibrary::load("libnosuch.so.7");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(library.error().message.find("libnosuch.so.7"), std::string::npos);
}

TEST(SharedLibrary, NamesAFunctionThatIsNotThereAndLeavesThePointer) {
  const auto library = SharedLibrary::load("libm.so.6");
  ASSERT_TRUE(library) << library.error().message;
  double (*kept)(double) = std::sqrt;
  const auto found = library->find("no_such_function", &kept);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(found.error().message.find("libm.so.6: has no no_such_function"), std::string::npos);
  EXPECT_EQ(kept(4), 2);
}

}  // namespace
}  // namespace filecall
