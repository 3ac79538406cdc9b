// SPDX-License-Identifier: MIT
#include "ipc/assemble_response.h"

#include <gtest/gtest.h>

namespace filecall {
namespace {

TEST(AssembleResponse, TakesTheDataOfASuccess) {
  const Response response = assemble_response("a", Json{{"hello", "world"}});
  EXPECT_EQ(response.request_id, "a");
  EXPECT_TRUE(response.is_success());
  EXPECT_EQ(response.data["hello"], "world");
}

TEST(AssembleResponse, TakesTheFailureOfAnError) {
  Failure failure;
  failure.code = ErrorCode::kNotFound;
  failure.message = "gone";
  const Response response = assemble_response("a", Unexpected(failure));
  ASSERT_FALSE(response.is_success());
  EXPECT_EQ(response.failure->code, ErrorCode::kNotFound);
  EXPECT_EQ(response.failure->message, "gone");
  EXPECT_TRUE(response.data.is_null());
}

}  // namespace
}  // namespace filecall
