"""Slow twins of the perceptrons: plain loops over a Gram matrix, one mistake at a time, by the letter of the papers."""

import numpy as np

__all__ = ["averaged", "forgetron", "kernel", "primal", "projectron", "random_removal", "voted"]

M64 = 2**64


def primal(X, y, passes, orders=None):
    """(mistaken samples, mistakes per pass, w); the intercept belongs into X."""
    w, mistakes, counts = np.zeros(X.shape[1]), [], []
    for t in range(passes):
        before = len(mistakes)
        for i in range(len(X)) if orders is None else orders[t]:
            if y[i] * sum(float(a) * float(b) for a, b in zip(w, X[i], strict=True)) <= 0:
                w = w + y[i] * X[i]
                mistakes.append(i)
        counts.append(len(mistakes) - before)
        if counts[-1] == 0:
            break
    return mistakes, counts, w


def kernel(K, y, passes, orders=None):
    """(mistaken samples, mistakes per pass, visits of the mistakes from 1 on) by the counts α."""
    alpha, mistakes, counts, times, visit = np.zeros(len(K)), [], [], [], 0
    for t in range(passes):
        before = len(mistakes)
        for i in range(len(K)) if orders is None else orders[t]:
            visit += 1
            if y[i] * float(np.sum(alpha * y * K[i])) <= 0:
                alpha[i] += 1
                mistakes.append(i)
                times.append(visit)
        counts.append(len(mistakes) - before)
        if counts[-1] == 0:
            break
    return mistakes, counts, times


def _states(K, K_new, y, passes):
    """The values of every state at new samples, once per visit, after the visit."""
    alpha = np.zeros(len(K))
    for _ in range(passes):
        clean = True
        for i in range(len(K)):
            if y[i] * float(np.sum(alpha * y * K[i])) <= 0:
                alpha[i] += 1
                clean = False
            yield K_new @ (alpha * y)
        if clean:
            return


def averaged(K, K_new, y, passes):
    return np.mean(list(_states(K, K_new, y, passes)), axis=0)


def voted(K, K_new, y, passes):
    return np.mean([np.sign(f) for f in _states(K, K_new, y, passes)], axis=0)


def _stream(K, y, passes, learn):
    """Run ``learn(memory, i)`` at every mistake of f = Σ c k(x_j, ·) over a list of [j, c]; (memory, mistakes)."""
    memory, mistakes = [], []
    for _ in range(passes):
        before = len(mistakes)
        for i in range(len(K)):
            if y[i] * sum(c * K[i, j] for j, c in memory) <= 0:
                mistakes.append(i)
                learn(memory, i)
        if len(mistakes) == before:
            break
    return memory, mistakes


def forgetron(K, y, passes, budget):
    """The self-tuned Forgetron of Dekel, Shalev-Shwartz and Singer (2008), for the kernel over its largest k(x, x)."""
    state = {"M": 0, "Q": 0.0, "R2": 0.0}

    def learn(memory, i):
        state["M"] += 1
        state["R2"] = max(state["R2"], K[i, i])
        memory.append([i, y[i]])
        if len(memory) <= budget:
            return
        r, c = memory[0]
        sigma = abs(c)
        mu = np.sign(c) * sum(d * K[r, j] for j, d in memory) / state["R2"] if state["R2"] > 0 else 0.0
        room = 15 / 32 * state["M"] - state["Q"]

        def psi(phi):
            return (phi * sigma) ** 2 + 2 * phi * sigma - 2 * phi * sigma * phi * mu

        low, high = 0.0, 1.0
        if psi(1.0) <= room:
            phi = 1.0
        else:  # by bisection: psi is below the room at 0 and above it at 1
            for _ in range(200):
                phi = (low + high) / 2
                low, high = (phi, high) if psi(phi) <= room else (low, phi)
            phi = low
        state["Q"] += psi(phi)
        for item in memory:
            item[1] *= phi
        del memory[0]

    return _stream(K, y, passes, learn)


def projectron(K, y, passes, budget, threshold):
    """The Projectron of Orabona, Keshet and Caputo (2009), which projects every mistake once the budget is full."""

    def learn(memory, i):
        support = [j for j, _ in memory]
        d = np.linalg.solve(K[np.ix_(support, support)], K[support, i]) if support else np.empty(0)
        distance = K[i, i] - float(d @ K[support, i]) if support else K[i, i]
        if len(memory) == budget or distance <= max(threshold**2, 1e-12 * abs(K[i, i])):
            for item, share in zip(memory, d, strict=True):
                item[1] += y[i] * share
        else:
            memory.append([i, y[i]])

    return _stream(K, y, passes, learn)


def random_removal(K, y, passes, budget, seed):
    """The randomised budget perceptron of Cavallanti, Cesa-Bianchi and Gentile (2007), with numbers of SplitMix64."""
    state = seed

    def draw(size):
        nonlocal state
        state = z = (state + 0x9E3779B97F4A7C15) % M64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % M64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % M64
        return (((z ^ (z >> 31)) >> 32) * size) >> 32

    def learn(memory, i):
        if len(memory) < budget:
            memory.append([i, y[i]])
        else:
            memory[draw(budget)] = [i, y[i]]

    return _stream(K, y, passes, learn)
