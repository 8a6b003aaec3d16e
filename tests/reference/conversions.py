#!/usr/bin/env python3
"""Prints the reference table of src/privacy/conversions_test.cc and src/privacy/calibration_test.cc.

Every value is computed from the definition of the notion, with 80 digits and by another way than the library takes: by
numeric optimisation over the Rényi order or over two-point distributions, and by root finding on δ(ε). Needs mpmath.
"""

from mpmath import mp, mpf, exp, findroot, log, ncdf, quad, sqrt

mp.dps = 80


def minimum(function, low, high):
    """Golden-section search for the least value of a unimodal function on [low, high]."""
    ratio = (sqrt(5) - 1) / 2
    a, b = mpf(low), mpf(high)
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    fc, fd = function(c), function(d)
    while b - a > mpf(10) ** -32 * (1 + abs(a)):
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - ratio * (b - a)
            fc = function(c)
        else:
            a, c, fc = c, d, fd
            d = a + ratio * (b - a)
            fd = function(d)
    return min(fc, fd)


def bisect(function, low, high):
    """The root of a monotone function with a sign change on [low, high]."""
    low, high = mpf(low), mpf(high)
    sign = function(low) > 0
    for _ in range(260):
        middle = (low + high) / 2
        if (function(middle) > 0) == sign:
            low = middle
        else:
            high = middle
    return low


def log_delta_of_order(rho, epsilon, alpha):
    """Canonne, Kamath & Steinke 2020, Proposition 12, as printed there."""
    return (alpha - 1) * (alpha * rho - epsilon) - log(alpha - 1) + alpha * log(1 - 1 / alpha)


def zcdp_to_delta(rho, epsilon):
    return exp(minimum(lambda t: log_delta_of_order(rho, epsilon, 1 + exp(t)), -60, 120))


def zcdp_to_epsilon(rho, delta):
    """The same solved for ε."""
    def epsilon(t):
        alpha = 1 + exp(t)
        return alpha * rho + (alpha * log(1 - 1 / alpha) - log(alpha - 1) - log(delta)) / (alpha - 1)

    return max(0, minimum(epsilon, -60, 120))


def zcdp_for_approximate(epsilon, delta):
    return bisect(lambda rho: zcdp_to_epsilon(rho, delta) - epsilon, 0, epsilon)


def gdp_to_delta(mu_squared, epsilon):
    """∫ max(0, p − e^ε q) for p = N(μ, 1), q = N(0, 1), which is positive above ε/μ + μ/2."""
    mu = sqrt(mu_squared)
    start = epsilon / mu + mu / 2
    density = lambda x: exp(-((x - mu) ** 2) / 2) * (1 - exp(epsilon - mu * x + mu * mu / 2)) / sqrt(2 * mp.pi)
    return quad(density, [start + step for step in range(0, 30)])


def gdp_delta_closed_form(mu, epsilon):
    return ncdf(mu / 2 - epsilon / mu) - exp(epsilon) * ncdf(-mu / 2 - epsilon / mu)


def gdp_to_epsilon(mu_squared, delta):
    return bisect(lambda epsilon: gdp_delta_closed_form(sqrt(mu_squared), epsilon) - delta, 0, 400)


def gdp_for_approximate(epsilon, delta):
    return bisect(lambda mu: gdp_delta_closed_form(mu, epsilon) - delta, mpf(10) ** -10, 100)


def pure_to_delta(epsilon0, epsilon):
    """Randomised response, outcome by outcome."""
    p = exp(epsilon0) / (1 + exp(epsilon0))
    return max(0, p - exp(epsilon) * (1 - p)) + max(0, (1 - p) - exp(epsilon) * p)


def bounded_range_to_delta(width, epsilon):
    """The worst pair of two-point distributions whose log-ratios are t and t − width."""
    def delta(t):
        p = (exp(width) - exp(t)) / (exp(width) - 1)
        return max(0, p - exp(epsilon) * p * exp(-t)) + max(0, (1 - p) - exp(epsilon) * (1 - p) * exp(width - t))

    return -minimum(lambda t: -delta(t), epsilon, width)


def pure_to_epsilon(epsilon0, delta):
    return bisect(lambda epsilon: pure_to_delta(epsilon0, epsilon) - delta, 0, epsilon0)


def bounded_range_to_epsilon(width, delta):
    closed = lambda epsilon: (exp(width / 2) - exp(epsilon / 2)) ** 2 / (exp(width) - 1)
    return bisect(lambda epsilon: closed(epsilon) - delta, 0, width)


def pure_for_approximate(epsilon, delta):
    return bisect(lambda e: (exp(e) - exp(epsilon)) / (1 + exp(e)) - delta, epsilon, epsilon + 50)


def bounded_range_for_approximate(epsilon, delta):
    closed = lambda width: (exp(width / 2) - exp(epsilon / 2)) ** 2 / (exp(width) - 1)
    return bisect(lambda width: closed(width) - delta, epsilon, epsilon + 50)


def pure_to_gdp(epsilon):
    return findroot(lambda mu: log(ncdf(mu / 2) / ncdf(-mu / 2)) - epsilon, (epsilon, 2 * epsilon / (1 + epsilon / 3)))


def pure_for_gdp(mu):
    return log(ncdf(mu / 2) / ncdf(-mu / 2))


def pure_to_rdp(epsilon, alpha):
    p = exp(epsilon) / (1 + exp(epsilon))
    q = 1 - p
    return log(p ** alpha * q ** (1 - alpha) + q ** alpha * p ** (1 - alpha)) / (alpha - 1)


CONVERSIONS = [
    (zcdp_to_epsilon, ["0.0001", "1e-5"], ["0.1", "1e-5"], ["0.5", "1e-6"], ["2", "1e-9"], ["20", "1e-30"], ["0.01", "0.1"]),
    (zcdp_to_delta, ["0.0001", "0.05"], ["0.1", "1"], ["0.1", "0"], ["0.5", "4"], ["2", "20"]),
    (gdp_to_delta, ["0.0001", "0.01"], ["0.25", "1"], ["1", "0"], ["1", "8"], ["4", "2.5"], ["1", "11"]),
    (gdp_to_epsilon, ["0.0001", "1e-5"], ["0.25", "1e-5"], ["1", "1e-6"], ["2", "1e-9"], ["1", "1e-30"], ["16", "0.01"]),
    (pure_to_delta, ["0.1", "0.05"], ["1", "0"], ["3", "2.999"], ["20", "1"]),
    (pure_to_epsilon, ["0.1", "1e-5"], ["1", "0.3"], ["3", "1e-30"], ["20", "0.5"]),
    (bounded_range_to_delta, ["0.1", "0.05"], ["1", "0"], ["3", "2.999"], ["20", "1"]),
    (bounded_range_to_epsilon, ["0.1", "1e-5"], ["1", "0.01"], ["3", "1e-12"], ["20", "0.5"]),
    (pure_to_gdp, ["0.001"], ["0.1"], ["1"], ["5"], ["40"]),
    (pure_to_rdp, ["0.001", "1.5"], ["0.1", "2"], ["1", "8"], ["5", "1.01"], ["10", "64"]),
]
CALIBRATIONS = [
    (zcdp_for_approximate, ["0.01", "1e-6"], ["0.1", "1e-5"], ["1", "1e-5"], ["1", "1e-30"], ["10", "1e-9"], ["3", "0.1"]),
    (gdp_for_approximate, ["0.01", "1e-6"], ["0.1", "1e-5"], ["1", "1e-5"], ["1", "1e-30"], ["10", "1e-9"], ["3", "0.1"]),
    (pure_for_approximate, ["0.1", "1e-5"], ["1", "1e-3"], ["1", "0.5"], ["10", "1e-9"]),
    (bounded_range_for_approximate, ["0.1", "1e-5"], ["1", "1e-3"], ["1", "0.5"], ["10", "1e-9"]),
    (pure_for_gdp, ["0.001"], ["0.5"], ["1"], ["4"], ["20"]),
]

if __name__ == "__main__":
    for title, cases in (("conversions_test.cc", CONVERSIONS), ("calibration_test.cc", CALIBRATIONS)):
        print("//", title)
        for function, *arguments in cases:
            for texts in arguments:
                value = mp.nstr(function(*map(mpf, texts)), 28, min_fixed=-40, max_fixed=40)
                second = texts[1] if len(texts) > 1 else ""
                print(f'    {{"{function.__name__}", "{texts[0]}", "{second}", "{value}"}},')
