RSpec.describe "cart" do
  it("adds an item") { expect(1 + 1).to eq 2 }
  it("counts items") { expect(41).to eq 42 }
  it("is pending")
  xit("is skipped") { }
  context("with sums") { [1, 2].each { |n| it("adds #{n}") { expect(n).to be < 2 } } }
end
