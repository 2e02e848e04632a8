"""miniBUDE: every pose of a ligand against a protein, in blocks of poses."""
import numpy as np

from . import program

HARDNESS, CHARGE = 38.0, 45.0


@program
def minibude(c):
    n, types = c.sizes
    ligand_type, protein_type, attracts, dissolves = c.indices
    ligand, protein, p_sign, l_sign, reach, electrostatic = c.floats
    atoms = len(ligand_type)
    pair = lambda x: x.reshape(atoms, -1)

    def block(t, poses, contact, charge, dissolved, ligand, protein, reach, electrostatic, attracts, dissolves):
        sx, cx, sy, cy, sz, cz = (g(poses[:, k]) for k in range(3) for g in (t.sin, t.cos))
        turn = [
            [cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz],
            [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz],
            [-sy, sx * cy, cx * cy],
        ]
        square = 0.0
        for k in range(3):
            at = poses[:, 3 + k][:, None] + sum(turn[k][a][:, None] * ligand[:, a] for a in range(3))
            e = at[:, :, None] - protein[:, k]
            square = square + e * e
        distance = t.sqrt(square)
        gap = distance - contact
        inside = gap < 0.0
        none = 0.0 * gap
        clash = t.where(inside, (1.0 - distance / contact) * 2.0 * HARDNESS, none)
        held = charge * t.where(inside, none + 1.0, 1.0 - gap / electrostatic)
        # of a charge of nothing the size has the derivative 0
        held = t.where(attracts, -held * t.stop(t.sign(held)), held)
        held = t.where(gap < electrostatic, held, none)
        freed = dissolved * t.where(inside, none + 1.0, 1.0 - gap / reach)
        freed = t.where(dissolves & (gap < reach), freed, none)
        return 0.5 * (clash + CHARGE * held + freed).sum()

    def f(t, poses, radius, hydrophobicity, charge, a, b, p_sign, l_sign, *rest):
        contact = radius[a][:, None] + radius[b]
        charges = charge[a][:, None] * charge[b]
        dissolved = hydrophobicity[b] * p_sign + hydrophobicity[a][:, None] * l_sign
        size = min(t.block, n)
        poses = t.transpose(poses.reshape(6, n // size, size), (1, 2, 0))
        return t.blocks(lambda *x: block(t, *x), poses, contact, charges, dissolved, *rest)

    dissolves = (dissolves != 0) & (reach > 0)
    constants = [ligand_type, protein_type, pair(p_sign), pair(l_sign)]
    constants += [ligand.reshape(-1, 3), protein.reshape(-1, 3), pair(np.where(reach > 0, reach, 1.0)), pair(electrostatic)]
    constants += [pair(attracts != 0), pair(dissolves)]
    return [(6, n), (types,), (types,), (types,)], constants, f, True
