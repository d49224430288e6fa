import pytest

class TestCart:
    def test_adds(self):
        assert 1 + 1 == 2

    def test_counts(self):
        assert 41 == 42

@pytest.mark.parametrize("n", [1, 2])
def test_sums(n):
    assert n < 2

@pytest.mark.skip(reason="not here")
def test_skipped(): ...

@pytest.mark.xfail
def test_known(): assert False

@pytest.fixture
def broken(): raise RuntimeError("no database")

def test_fixture(broken): ...
