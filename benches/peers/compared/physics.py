"""A fluid past a porous body, atoms that move, neutrons and their cross sections."""
import numpy as np

from . import program, rows

C = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])


@program
def lattice_boltzmann(c):
    nx, ny, steps = c.sizes
    omega, inflow = 1.2, 0.1
    inside = np.zeros((ny, nx), bool)
    inside[1:-1, 1:-1] = True

    def f(t, solid, inside, cx, cy, w, opposite, start):
        def equilibrium(density, u, v):
            along = cx * u + cy * v
            return w * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (u * u + v * v))

        def step(carry):
            f, drag, solid = carry
            density = f.sum(0)
            u, v = (cx * f).sum(0) / density, (cy * f).sum(0) / density
            fluid = f + omega * (equilibrium(density, u, v) - f)
            back = f[opposite]
            pushed = (cx * solid * (fluid - back)).sum(0)
            drag = drag + t.where(inside, pushed, 0.0 * pushed).sum()
            collided = t.where(inside, fluid + solid * (back - fluid), start)
            moved = t.stack([t.roll(collided[q], (int(C[q, 1]), int(C[q, 0])), (0, 1)) for q in range(9)])
            return t.where(inside, moved, start), drag, solid

        return t.loop(step, (start, 0.0 * solid.sum(), solid), steps)[1]

    column = lambda x: np.asarray(x, np.float64)[:, None, None]
    along = C[:, 0] * inflow
    start = W * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * inflow * inflow)
    start = np.broadcast_to(column(start), (9, ny, nx))
    return [(ny, nx)], [inside, column(C[:, 0]), column(C[:, 1]), column(W), OPPOSITE, start], f, True


@program
def lennard_jones_dynamics(c):
    (steps,), (start, neighbour) = c.sizes, c.indices
    atoms, cutoff, time = len(start) - 1, 2.5, 0.002

    def f(t, position, velocity, sigma, epsilon, row, neighbour):
        def force(x, sigma, epsilon):
            d = x[row] - x[neighbour]
            square = (d * d).sum(1)
            s6 = (sigma * sigma / square) ** 3
            size = 24.0 * epsilon * (2.0 * s6 * s6 - s6) / square
            pair = t.where(square < cutoff * cutoff, size, 0.0 * size)[:, None] * d
            return t.segment_sum(pair, row, atoms) - t.scatter_sum(pair, neighbour, atoms)

        def step(carry):
            x, v, last, sigma, epsilon = carry
            v = v + 0.5 * time * last
            x = x + time * v
            last = force(x, sigma, epsilon)
            return x, v + 0.5 * time * last, last, sigma, epsilon

        first = force(position, sigma, epsilon)
        e = t.loop(step, (position, velocity, first, sigma, epsilon), steps)[0] - position
        return 0.5 * (e * e).sum()

    return [(atoms, 3), (atoms, 3), (1,), (1,)], [rows(start), neighbour], f, True


@program
def cross_section(c):
    """Energies are arguments, and where they lie in the grid is what XSBench is about: every tool looks them up in each call.
    What does not depend on energies, the nuclides of each particle's material, is known before."""
    nuclides, points = c.sizes
    union_index, start, members, material = c.indices
    grid, union_energy, energy = c.floats
    weight = np.array([1.0, 0.5, 0.25, 0.1, 0.05])
    # one entry for each particle and nuclide of its material
    count = np.diff(start)[material]
    particle = np.repeat(np.arange(len(energy), dtype=np.int32), count)
    behind = np.arange(len(particle)) - np.repeat(np.cumsum(count) - count, count)
    member = (start[material][particle] + behind).astype(np.int32)
    nuclide = members[member]

    def f(t, channels, density, grid, union_energy, union_index, energy, particle, member, nuclide, weight):
        interval = t.not_above(union_energy, energy)
        below = nuclide * points + union_index[interval[particle] * nuclides + nuclide]
        share = (grid[below + 1] - energy[particle]) / (grid[below + 1] - grid[below])
        response = channels @ weight
        low, high = response[below], response[below + 1]
        return (density[member] * (high - share * (high - low))).sum()

    constants = [grid, union_energy, union_index, energy, particle, member, nuclide, weight]
    return [(nuclides * points, 5), (len(members),)], constants, f, False
