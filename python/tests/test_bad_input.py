"""Bad input is refused with one sentence in an exception, and never by a panic."""

import re

import numpy as np
import pytest

import nearwater

GOOD = np.random.default_rng(1).random((50, 3))


def with_value(value):
    points = GOOD.copy()
    points[7, 1] = value
    return points


BAD_CALLS = {
    "not a number": (lambda: nearwater.neighbors(with_value(np.nan), 0.1), ValueError, r"points\[7\] is .*not finite"),
    "infinite point": (lambda: nearwater.neighbors(with_value(-np.inf), 0.1), ValueError, r"points\[7\]"),
    "overflow": (lambda: nearwater.neighbors(with_value(1e300), 0.1), ValueError, "extend over"),
    "full range": (lambda: nearwater.neighbors([[-1.7e308] * 3, [1.7e308] * 3], 1e290), ValueError, "extend over"),
    "too wide": (lambda: nearwater.neighbors(GOOD, 1e-9), ValueError, "larger radius"),
    "radius 0": (lambda: nearwater.neighbors(GOOD, 0.0), ValueError, "radius is 0.0 and must be"),
    "negative radius": (lambda: nearwater.neighbors(GOOD, -1), ValueError, "radius is -1"),
    "radius NaN": (lambda: nearwater.neighbors(GOOD, np.nan), ValueError, "radius is"),
    "infinite radius": (lambda: nearwater.neighbors(GOOD, np.inf), ValueError, "radius is"),
    "radius of text": (lambda: nearwater.neighbors(GOOD, "wide"), ValueError, "radius is 'wide'"),
    "no radius": (lambda: nearwater.neighbors(GOOD, None), ValueError, "radius is None"),
    "flat": (lambda: nearwater.neighbors(np.zeros(6), 0.1), ValueError, r"shape \(6,\)"),
    "empty list": (lambda: nearwater.neighbors([], 0.1), ValueError, r"shape \(0,\)"),
    "four columns": (lambda: nearwater.neighbors(np.zeros((5, 4)), 0.1), ValueError, r"shape \(5, 4\)"),
    "one column": (lambda: nearwater.neighbors(np.zeros((5, 1)), 0.1), ValueError, r"shape \(5, 1\)"),
    "a cube": (lambda: nearwater.neighbors(np.zeros((2, 3, 3)), 0.1), ValueError, r"shape \(2, 3, 3\)"),
    "no array": (lambda: nearwater.neighbors(None, 0.1), ValueError, r"shape \(\)"),
    "complex": (lambda: nearwater.neighbors(GOOD + 1j, 0.1), ValueError, "real numbers"),
    "text": (lambda: nearwater.neighbors(np.full((4, 3), "x"), 0.1), ValueError, "real numbers"),
    "objects": (lambda: nearwater.neighbors(np.full((4, 3), None), 0.1), ValueError, "real numbers"),
    "ragged": (lambda: nearwater.neighbors([[1.0, 2.0], [1.0]], 0.1), ValueError, "."),
    "masked": (lambda: nearwater.neighbors(np.ma.masked_invalid(with_value(np.nan)), 0.1), ValueError, "masked"),
    # A view that repeats one row takes no memory.
    "too many points": (
        lambda: nearwater.neighbors(np.broadcast_to(np.zeros((1, 3)), (2**40, 3)), 0.1),
        ValueError,
        "1099511627776 points are more than the",
    ),
    "crowded": (lambda: nearwater.neighbors(np.zeros((200_000, 3)), 0.1), ValueError, "use at most|fewer"),
    "unknown search": (lambda: nearwater.neighbors(GOOD, 0.1, search="clows"), ValueError, "nearest names are claws"),
    "unknown option": (lambda: nearwater.neighbors(GOOD, 0.1, options={"edge": 1}), ValueError, "option"),
    "foreign option": (
        lambda: nearwater.neighbors(GOOD, 0.1, search="brute_force", options={"cell-edge": "2r"}),
        ValueError,
        "has no option",
    ),
    "bad option": (
        lambda: nearwater.neighbors(GOOD, 0.1, search="green", options={"cell-edge": "7r"}),
        ValueError,
        "cell-edge",
    ),
    "unknown adapter": (lambda: nearwater.neighbors(GOOD, 0.1, adapter="abacus"), ValueError, "abacus"),
    "unknown scene": (lambda: nearwater.Simulation("dam_brake"), ValueError, "dam_break"),
    "missing file": (lambda: nearwater.Simulation("/nowhere/a.ron"), OSError, "/nowhere/a.ron"),
    "unknown solver": (lambda: nearwater.Simulation("dam_break", solver="sph"), ValueError, "wcsph"),
    "unknown setting": (lambda: nearwater.Simulation("dam_break", settings={"pbf.x": 1}), ValueError, "pbf.x"),
    "no particles": (lambda: nearwater.Simulation("dam_break", particles=0), ValueError, "particles is 0"),
    "negative particles": (lambda: nearwater.Simulation("dam_break", particles=-5), ValueError, "particles is -5"),
    "half a particle": (lambda: nearwater.Simulation("dam_break", particles=1.5), ValueError, "particles is 1.5"),
    "huge count": (lambda: nearwater.Simulation("dam_break", particles=2**32), ValueError, "4294967295"),
    "more than fit": (lambda: nearwater.Simulation("dam_break", particles=2**32 - 1), ValueError, "at most|fewer"),
    "two sizes": (lambda: nearwater.Simulation("dam_break", particles=9, radius=1.0), ValueError, "exclude"),
    "tiny radius": (lambda: nearwater.Simulation("dam_break", radius=1e-60), ValueError, "radius is"),
    "wide radius": (lambda: nearwater.Simulation("dam_break", radius=1e6), ValueError, "smaller radius"),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_input_is_refused_with_a_sentence(name):
    call, kind, pattern = BAD_CALLS[name]
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert re.search(pattern, message), message
    assert "\n" not in message and "panic" not in message, message
    assert "--" not in message, f"names an argument of the command line: {message}"


def test_a_refusal_leaves_the_device_usable():
    for call, kind, _ in BAD_CALLS.values():
        with pytest.raises(kind):
            call()
    offsets, _ = nearwater.neighbors(GOOD, 2.0)
    assert offsets[-1] == 50 * 49


def test_time_and_steps_are_checked():
    water = nearwater.Simulation("dam_break", particles=500)
    for seconds in [np.nan, np.inf, -1.0, "long", None]:
        with pytest.raises(ValueError, match="seconds is"):
            water.run(seconds)
    with pytest.raises(ValueError, match="seconds is"):
        water.run(1e300)
    for count in [0, -1, 1.5, 2**40]:
        with pytest.raises(ValueError, match="count is"):
            water.step(count)
    assert water.step_count == 0
