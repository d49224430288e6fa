#include <gtest/gtest.h>
TEST(Cart, Adds) { EXPECT_EQ(2, 1 + 1); }
TEST(Cart, Counts) { EXPECT_EQ(42, 41); }
TEST(Cart, Skipped) { GTEST_SKIP() << "not here"; }
TEST(Cart, DISABLED_Later) {}
class Sums : public testing::TestWithParam<int> {};
TEST_P(Sums, Small) { EXPECT_LT(GetParam(), 2); }
INSTANTIATE_TEST_SUITE_P(Few, Sums, testing::Values(1, 2));
