"""How old a reader's drawing is at the far end of a slow network link. See thin_line.py."""

import pytest

import thin_line


@pytest.fixture(scope="module", autouse=True)
def lines():
    obstacle = thin_line.obstacle()
    if obstacle:
        pytest.skip(f"no line of a certain rate can be made here: {obstacle}")


def test_what_waits_before_a_thin_line_is_little():
    """D5: Twenty people move twenty shapes sixty times a second, which is five times as much as the link carries.
    Bytes in the kernel's buffers make a reader late, and without the server's limit there would be megabytes of
    them. `make bench` measures how old the reader's drawing is."""
    figures = thin_line.ages("256kbit", "json", seconds=3)
    assert figures["looks"] > 100 and figures["acks"] > 2, figures
    assert figures["memory"] < 65_536, figures
