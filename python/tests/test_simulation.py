"""Simulations advance, report their fields, and leave the interpreter to other threads."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import nearwater


def test_fields_belong_to_the_same_particles():
    water = nearwater.Simulation("dam_break", particles=1500, search="fenns", solver="wcsph")
    assert water.time == 0.0 and water.step_count == 0
    assert (water.scene, water.search, water.solver) == ("dam_break", "fenns", "wcsph")
    count = len(water.indices)
    assert 1000 < count < 2000
    for field, shape in [("positions", (count, 3)), ("velocities", (count, 3)), ("density", (count,)), ("pressure", (count,))]:
        values = getattr(water, field)
        assert values.shape == shape and values.dtype == np.float32 and np.isfinite(values).all(), field
    assert np.all(water.velocities == 0.0)
    # Water at rest is as dense as it should be, and the mass of its particles fills their volume.
    inside = np.median(water.density)
    assert inside == pytest.approx(1000.0, rel=0.05)
    assert water.particle_mass == pytest.approx(1000.0 * water.spacing**3, rel=0.05)


def test_water_falls_as_far_as_time_has_passed():
    water = nearwater.Simulation("dam_break", particles=1500)
    before = water.positions
    water.step()
    assert water.step_count == 1 and water.time == pytest.approx(water.time_step)
    water.step(4)
    assert water.step_count == 5
    started = water.time
    water.run(0.1)
    assert started + 0.1 <= water.time < started + 0.1 + 1.01 * water.time_step
    after = water.positions
    assert after is not before and len(after) == len(before)
    # The front runs to the right and the water sinks, with speeds that free fall does not exceed by far.
    assert after[:, 0].max() > before[:, 0].max() + 0.01
    assert after[:, 1].mean() < before[:, 1].mean() - 0.001
    moved = np.linalg.norm(after - before, axis=1)
    assert moved.max() < water.time * (np.linalg.norm(water.velocities, axis=1).max() + 3.0)


def test_fields_are_copies_of_the_caller():
    water = nearwater.Simulation("dam_break", particles=500)
    water.positions[:] = 0.0
    assert water.positions.max() > 0.0


def test_fields_agree_with_the_neighbors_of_the_positions():
    water = nearwater.Simulation("dam_break", particles=1500)
    water.step(3)
    offsets, _ = nearwater.neighbors(water.positions, water.radius)
    counts = np.diff(offsets)
    crowded, lonely = counts >= np.quantile(counts, 0.9), counts <= np.quantile(counts, 0.1)
    assert np.median(water.density[crowded]) > 0.95 * np.median(water.density[lonely])
    assert 15 < np.median(counts) < 80


def test_seeds_and_settings_reach_the_solver():
    first, same, other = (nearwater.Simulation("dam_break", particles=500, seed=seed) for seed in [1, 1, 2])
    assert np.array_equal(first.positions, same.positions)
    assert not np.array_equal(first.positions, other.positions)
    water = nearwater.Simulation("dam_break", particles=500, solver="pbf", settings={"material.viscosity": 0.2})
    water.step()
    assert water.solver == "pbf"


def test_a_scene_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.ron"
    path.write_text("(")
    with pytest.raises(ValueError, match="mine.ron, line 1"):
        nearwater.Simulation(path)


def test_other_threads_run_while_the_device_works():
    water = nearwater.Simulation("dam_break", particles=4000)
    water.step()
    ticks, is_over = [], threading.Event()

    def tick():
        while not is_over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.perf_counter()
    while time.perf_counter() - began < 0.5:
        water.step(8)
    ended = time.perf_counter()
    is_over.set()
    thread.join()
    during = [tick for tick in ticks if began < tick < ended]
    # With the interpreter held, a tick would come only between calls, which take longer than ticks are apart.
    longest = max(b - a for a, b in zip([began, *during], [*during, ended]))
    one_call = (ended - began) / (water.step_count / 8)
    assert len(during) > 2 * (water.step_count / 8) or longest < 0.5 * one_call


def test_several_threads_search_at_once():
    generator = np.random.default_rng(2)
    clouds = [generator.random((800, 3)) for _ in range(6)]
    alone = [nearwater.neighbors(cloud, 0.15) for cloud in clouds]
    found = [None] * len(clouds)

    def search(place):
        found[place] = nearwater.neighbors(clouds[place], 0.15)

    threads = [threading.Thread(target=search, args=(place,)) for place in range(len(clouds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, found):
        assert np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_is_told_to_spawn():
    text = """
import os, sys, nearwater
nearwater.neighbors([[0.0, 0.0, 0.0]], 1.0)
child = os.fork()
if child == 0:
    try:
        nearwater.neighbors([[0.0, 0.0, 0.0]], 1.0)
    except nearwater.GpuError as error:
        os._exit(0 if "spawn" in str(error) else 2)
    os._exit(3)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", text], timeout=60, check=False).returncode == 0


def test_an_interrupt_ends_a_run_between_steps():
    water = nearwater.Simulation("dam_break", particles=500)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        water.run(1e6)
    assert water.step_count > 0
    water.step()


def test_what_can_be_chosen_is_listed():
    assert {"brute_force", "green", "fenns", "claws"} <= {search.name for search in nearwater.searches()}
    assert {"wcsph", "pbf", "dfsph"} <= set(nearwater.solvers())
    assert "dam_break" in nearwater.scenes()
    best = nearwater.adapters()[0]
    assert best.name and best.kind in {"discrete", "integrated", "software"} and best.largest_buffer > 2**20
    assert best.name in repr(best)
    for thing in [nearwater.neighbors, nearwater.Simulation, nearwater.Simulation.run, nearwater.adapters]:
        assert thing.__doc__ and len(thing.__doc__) > 20, thing
