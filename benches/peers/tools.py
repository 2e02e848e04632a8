"""One vocabulary for two tools, so that a workload is written once and each of them runs it as it likes it best.

`Jax` and `Torch` have the functions that the programs in `compared/` use. Loops over time and sums over blocks are where they
differ: JAX scans, recomputing blocks; PyTorch loops in Python over steps (which `compile` compiles), and takes the gradient of
each block at once, so that only one block's intermediates are alive.
"""
import ctypes
import time

import numpy as np


def status(key):
    """A line of this process's status, in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(key))


def timed(run):
    """Nanoseconds of a call, and what it returns when that is there."""
    begin = time.perf_counter_ns()
    result = run()
    return time.perf_counter_ns() - begin, result


class Jax:
    # of poses that are computed at once
    block = 4
    timed = staticmethod(timed)

    def __init__(self, threads, gpu=False):
        import os

        os.environ["NPROC"] = str(threads)
        if threads == 1:
            os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        import jax

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_platforms", "cuda" if gpu else "cpu")
        self.jax, self.np = jax, jax.numpy
        self.version = f"JAX {jax.__version__}"
        names = "exp log log1p sin cos sqrt tanh abs sign where maximum einsum stack concatenate pad roll"
        for name in names.split():
            setattr(self, name, getattr(jax.numpy, name))
        self.sigmoid = jax.nn.sigmoid
        self.softmax = jax.nn.softmax
        self.stop = jax.lax.stop_gradient

    def array(self, x):
        return self.jax.device_put(np.ascontiguousarray(x))

    def logsumexp(self, x, axis):
        return self.jax.nn.logsumexp(x, axis=axis)

    def transpose(self, x, axes):
        return x.transpose(axes)

    def least(self, x, axis):
        return x.min(axis)

    def product(self, x, axis):
        return x.prod(axis)

    def segment_sum(self, x, row, rows):
        return self.jax.ops.segment_sum(x, row, num_segments=rows, indices_are_sorted=True)

    def scatter_sum(self, x, index, rows):
        return self.jax.ops.segment_sum(x, index, num_segments=rows)

    def segment_max(self, x, row, rows):
        return self.jax.ops.segment_max(x, row, num_segments=rows, indices_are_sorted=True)

    def not_above(self, ascending, x):
        """Of each `x`, the last interval of an ascending grid that begins at or below it."""
        found = self.np.searchsorted(ascending, x, side="right") - 1
        return found.clip(0, len(ascending) - 2)

    def loop(self, step, carry, count):
        """`step` applied `count` times."""
        return self.jax.lax.scan(lambda carry, _: (step(carry), None), carry, None, length=count)[0]

    def scan(self, step, carry, xs, chunk):
        """`step(carry, x) -> carry, y` over the rows of `xs`; the rows `y`."""
        return self.jax.lax.scan(step, carry, xs, unroll=8)[1]

    def blocks(self, f, blocks, *shared):
        """The sum of `f(block, *shared)` over the leading axis."""
        body = self.jax.checkpoint(lambda total, block: (total + f(block, *shared), None))
        return self.jax.lax.scan(body, self.np.zeros(()), blocks)[0]

    def gradient(self, f, loops, parameters, constants):
        """A function without arguments that returns value and gradients when these are there."""
        compiled = self.jax.jit(self.jax.value_and_grad(f, argnums=tuple(range(len(parameters)))))
        self.lowered = lambda: compiled.lower(*parameters, *constants)
        return lambda: self.jax.block_until_ready(compiled(*parameters, *constants))

    def memory(self, run):
        """Bytes of temporaries and results, as the compiler planned them."""
        plan = self.lowered().compile().memory_analysis()
        return plan.temp_size_in_bytes + plan.output_size_in_bytes

    def numpy(self, x):
        return np.asarray(x)


class Torch:
    block = 16

    def __init__(self, threads, compiled, gpu=False):
        import torch

        torch.set_num_threads(threads)
        if gpu:
            torch.zeros(1, device="cuda")
            torch.set_default_device("cuda")
        self.torch, self.compiled, self.gpu = torch, compiled, gpu
        self.version = f"PyTorch {torch.__version__.split('+')[0]}"
        for name in "exp log log1p sin cos sqrt tanh abs sign where maximum einsum stack sigmoid roll".split():
            setattr(self, name, getattr(torch, name))

    def array(self, x):
        x = np.ascontiguousarray(x)
        x = self.torch.from_numpy(x.astype(np.int32) if x.dtype.kind in "iu" else x.copy())
        return x.cuda() if self.gpu else x

    def concatenate(self, xs, axis=0):
        return self.torch.cat(list(xs), axis)

    def pad(self, x, widths):
        flat = [side for pair in reversed(widths) for side in pair]
        return self.torch.nn.functional.pad(x, flat)

    def stop(self, x):
        return x.detach()

    def softmax(self, x, axis):
        return self.torch.softmax(x, axis)

    def logsumexp(self, x, axis):
        return self.torch.logsumexp(x, axis)

    def transpose(self, x, axes):
        return x.permute(axes)

    def least(self, x, axis):
        return self.torch.min(x, axis).values

    def product(self, x, axis):
        return self.torch.prod(x, axis)

    def segment_sum(self, x, row, rows):
        return self.torch.zeros((rows, *x.shape[1:]), dtype=x.dtype).index_add(0, row, x)

    scatter_sum = segment_sum

    def segment_max(self, x, row, rows):
        return self.torch.full((rows,), -np.inf, dtype=x.dtype).scatter_reduce(0, row.long(), x, "amax")

    def not_above(self, ascending, x):
        found = self.torch.searchsorted(ascending, x, right=True, out_int32=True) - 1
        return found.clip(0, len(ascending) - 2)

    def loop(self, step, carry, count):
        step = self._cached(step)
        for _ in range(count):
            carry = step(carry)
        return carry

    def scan(self, step, carry, xs, chunk):
        def several(carry, xs):
            ys = []
            for x in xs.unbind(0):
                carry, y = step(carry, x)
                ys.append(y)
            return carry, self.torch.stack(ys)

        several = self._cached(several, step)
        ys = []
        for begin in range(0, len(xs), chunk):
            carry, y = several(carry, xs[begin : begin + chunk])
            ys.append(y)
        return self.torch.cat(ys)

    def blocks(self, f, blocks, *shared):
        return self._blocks().apply(self._cached(f), blocks, *shared)

    def _cached(self, function, key=None):
        """The function compiled, once for each line of code."""
        if not self.compiled:
            return function
        code = (key or function).__code__
        cache = self.__dict__.setdefault("_compiled", {})
        if code not in cache:
            cache[code] = self.torch.compile(function, dynamic=False)
        return cache[code]

    def _blocks(self):
        torch = self.torch

        class Blocks(torch.autograd.Function):
            @staticmethod
            def forward(ctx, f, blocks, *shared):
                shared = [s.detach().requires_grad_(s.dtype == blocks.dtype) for s in shared]
                inputs = [s for s in shared if s.requires_grad]
                total, of_blocks, of_shared = 0.0, [], None
                for block in blocks.detach().unbind(0):
                    block = block.contiguous().requires_grad_()
                    with torch.enable_grad():
                        value = f(block, *shared)
                        first, *rest = torch.autograd.grad(value, [block, *inputs], allow_unused=True)
                    total = total + value.detach()
                    of_blocks.append(first)
                    rest = [torch.zeros_like(i) if r is None else r for i, r in zip(inputs, rest)]
                    of_shared = rest if of_shared is None else [a.add_(b) for a, b in zip(of_shared, rest)]
                found = iter(of_shared)
                of_shared = [next(found) if s.requires_grad else None for s in shared]
                ctx.gradients = [torch.stack(of_blocks), *of_shared]
                return total

            @staticmethod
            def backward(ctx, seed):
                return None, *(None if g is None else g * seed for g in ctx.gradients)

        return Blocks

    def gradient(self, f, loops, parameters, constants):
        if self.compiled and not loops:
            f = self.torch.compile(f, dynamic=False)
        parameters = [p.requires_grad_() for p in parameters]

        def run():
            value = f(*parameters, *constants)
            return value.detach(), self.torch.autograd.grad(value, parameters)

        return run

    def memory(self, run):
        """Bytes by which a gradient raises the peak of the process's memory."""
        ctypes.CDLL(None).malloc_trim(0)
        before = status("VmRSS")
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        result = run()
        peak = status("VmHWM")
        del result
        return max(peak - before, 0)

    def timed(self, run):
        """Nanoseconds of a call, by the clock of the device where it runs on one, and what it returns."""
        if not self.gpu:
            return timed(run)
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        result = run()
        end.record()
        end.synchronize()
        return round(1e6 * start.elapsed_time(end)), result

    def numpy(self, x):
        return x.detach().cpu().numpy()
