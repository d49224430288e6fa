require "minitest/autorun"
require "minitest/reporters"
Minitest::Reporters.use! Minitest::Reporters::JUnitReporter.new(ENV["OUT"], false)
class CartTest < Minitest::Test
  def test_adds = assert_equal(2, 1 + 1)
  def test_counts = assert_equal(42, 41)
  def test_raises = raise("boom")
  def test_skipped = skip("not here")
end
