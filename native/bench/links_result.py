"""The figures of links.py, from the runs that it made. Pure: native/tests/bench_links.py tests it."""
import statistics

LOST = 0.5  # points of top-1 that a faster mode may lose and still count as having reached the target


def hidden_share(lines_by_rank):
    """The share of all ranks' communication during which they computed; None where nothing was communicated."""
    steps = [line for lines in lines_by_rank for line in lines if line["kind"] == "step"]
    hidden = sum(step.get("communication_hidden_seconds", 0) for step in steps)
    every = hidden + sum(step["communication_seconds"] for step in steps)
    return hidden / every if every > 0 else None


def synchronisations(mode, steps, epochs):
    """Number of exchanges: every step, or as many periods of at least H steps as fit into an epoch."""
    name, _, rest = mode.partition(":")
    if name not in ("local", "diloco"):
        return steps
    return epochs * max(1, steps // epochs // int(rest.split(",")[0]))


def time_to_top1(run, target, seconds_per_step=None):
    """Seconds from the first step to the end of the first epoch at `target` or above; by step time if its own clock does not count."""
    for number, top1 in enumerate(run["top1_by_epoch"]):
        if top1 >= target:
            return run["seconds_by_epoch"][number] if seconds_per_step is None else seconds_per_step * run["steps"] * (number + 1) / len(run["top1_by_epoch"])
    return None


def summary(plain, chosen, python, by_seed):
    """The last line. `plain` and `chosen`: runs of the same seeds, in the same order. `by_seed`: accuracies as lists, one entry a seed; else their medians."""
    middle = lambda runs, key: statistics.median(run[key] for run in runs)  # noqa: E731
    target = middle(plain, "top1") - LOST
    arrived = [time_to_top1(run, target) for run in chosen]
    # Plain all-reduce is not run to the target over these links: computed from its number of steps and the time of one.
    awaited = [time_to_top1(run, target, python["seconds_per_step"]) for run in plain]
    sooner = [there / here for there, here in zip(awaited, arrived) if there is not None and here is not None]
    reached = round(statistics.median(sooner), 1) if len(sooner) == len(chosen) else None
    hidden = [run["hidden_share"] for run in chosen if run["hidden_share"] is not None]
    steps, epochs = chosen[0]["steps"], len(chosen[0]["top1_by_epoch"])
    accuracy = (lambda runs: [run["top1"] for run in runs]) if by_seed else (lambda runs: middle(runs, "top1"))
    return {
        "mode": chosen[0]["mode"],
        "task": chosen[0]["task"],
        "seeds": [run["seed"] for run in chosen],
        "steps": steps,
        "sync_steps": synchronisations(chosen[0]["mode"], steps, epochs),
        "samples_ratio": round(middle(chosen, "samples_per_second") / python["samples_per_second"], 2),
        "bytes_ratio": round(python["bytes_per_sample"] / middle(chosen, "bytes_per_sample"), 1),
        "seconds_per_step_plain": round(python["seconds_per_step"], 3),
        "seconds_per_step_ours": round(middle(chosen, "seconds_per_step"), 4),
        "images_seen": chosen[0]["images_seen"],
        "top1_plain": accuracy(plain),
        "top1_ours": accuracy(chosen),
        "top1_lost": round(middle(plain, "top1") - middle(chosen, "top1"), 2),
        "time_to_top1_ratio": reached,
        # The same by the name that the goal has.
        "seconds_to_plain_top1_ratio": reached,
        "hidden_share": round(statistics.median(hidden), 4) if hidden else None,
        "wall_ratio": round(middle(chosen, "wall_seconds") / middle(plain, "wall_seconds"), 3),
    }
