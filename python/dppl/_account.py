from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from ._inputs import Number


def as_text(value: Number, name: str) -> str:
    """A number as it is written, so that 0.1 is a tenth and not the binary fraction next to it."""
    if isinstance(value, bool) or not isinstance(value, str) and not hasattr(value, "__float__"):
        raise TypeError(f"{name}: give a number, a fraction, or a number as text")
    return str(value)


def as_amounts(*, rho: Number | None, epsilon: Number | None, delta: Number | None) -> dict[str, str]:
    """A budget by the names of its amounts."""
    given = {name: as_text(value, name) for name, value in (("rho", rho), ("epsilon", epsilon), ("delta", delta)) if value is not None}
    if "rho" in given and len(given) > 1:
        raise ValueError("give rho, epsilon, or epsilon and delta: a budget is in one notion")
    if "rho" not in given and "epsilon" not in given:
        raise ValueError("give a budget: rho=, epsilon=, or epsilon= and delta=; dppl.account() converts between them")
    return given


def account(
    *,
    rho: Number | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    mu: Number | None = None,
    mechanism: str | None = None,
    compose: int = 1,
    unit: str = "record",
) -> _core.Guarantee:
    """What a budget means in every other notion.

    Costs are rounded up, so each number is a guarantee; None means that no bound in that notion follows. `mechanism` is
    what the budget is spent on, if known: 'exponential', 'permute-and-flip', 'laplace' or 'gaussian'. `compose` is the
    number of such releases. `unit` is 'record' or 'person'.

    >>> import dppl
    >>> ten = dppl.account(rho=0.005, mechanism="exponential", compose=10)
    >>> ten.epsilon, ten.rho
    (2.0, 0.05)
    >>> dppl.account(epsilon=0.1).for_person_with(5).epsilon
    0.5
    >>> round(dppl.account(rho=0.125).epsilon_at(1e-5), 3)
    2.166
    """
    if mu is not None:
        if (rho, epsilon, delta) != (None, None, None):
            raise ValueError("give rho, epsilon, epsilon and delta, or mu: a budget is in one notion")
        amounts = {"mu": as_text(mu, "mu")}
    else:
        amounts = as_amounts(rho=rho, epsilon=epsilon, delta=delta)
    if compose < 1:
        raise ValueError("compose: give the number of releases, at least 1")
    return _core.account(amounts, mechanism or "", compose, unit)
