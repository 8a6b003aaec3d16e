from __future__ import annotations

import re

NUMBER = re.compile(r"\d+\.\d+")


def assert_alike(said: str, expected: str) -> None:
    """The same text, and numbers with a point within 0.02: another processor's matrix products round otherwise."""
    assert NUMBER.sub("#", said).split() == NUMBER.sub("#", expected).split(), said
    for one, other in zip(NUMBER.findall(said), NUMBER.findall(expected)):
        assert abs(float(one) - float(other)) <= 0.02, said
