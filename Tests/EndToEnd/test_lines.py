"""What a reader at the end of a thin line sees: see thin_line.py."""

import pytest

import thin_line


@pytest.fixture(scope="module", autouse=True)
def lines():
    obstacle = thin_line.obstacle()
    if obstacle:
        pytest.skip(f"no line of a certain rate can be made here: {obstacle}")


def test_a_thin_line_shows_what_is_new():
    """D5: Twenty people move twenty shapes sixty times a second, five times as much as the line carries. What its reader shows
    stays young. The bounds are wide, since the machine may be busy; without D5's care it is four to ten seconds old."""
    figures = thin_line.ages("256kbit", "json", seconds=6)
    assert figures["looks"] > 500
    assert figures["ageP50"] < 1_500, figures
    assert figures["ageP99"] < 3_500, figures
    assert figures["acks"] > 5
    assert figures["ackP99"] < 3_500, figures
    assert figures["memory"] < 65_536, figures
