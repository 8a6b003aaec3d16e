#!/usr/bin/python3
"""The accuracy of `--method auto` on all data sets, beside fixed settings and the methods of others.

    scripts/build.sh && ./demo.sh && bench/accuracy.py -o DIR [--data ../shared/data] [--seeds 5] [--only ham,cifar10] [--methods auto] [--also SETS.json]

Runs every method on every data set, imbalance ratio, budget and seed by `dppl sweep`, and prints a table for each data set and ratio and one for all. The
balanced data sets are cut to long tails; those that are imbalanced already are taken as they come.

Every finished run is kept in DIR/DATA/GROUP, and the same command goes on from there. Runs of `auto` are kept apart for every build of the program; fixed
settings and baselines are not run again for a new build: remove their folders where they have changed. --print runs nothing and shows what is there.

Fixed settings, all in whiten:K:0.2: plain:K, a mean; shrunk:K, drawn to the pool; metric:K:S, that with a share S for a private metric; steps:K, that with
30 gradient steps. public and public-k are tuned on the pool. A baseline has the best of its grid by test accuracy: more than anybody could have.
Needs Python alone.
"""
import argparse
import csv
import hashlib
import io
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

from common import DPPL, ROOT

RHOS = [0.001, 0.005, 0.02, 0.125, 0.5, 2, 8]
RATIOS = [1, 10, 100]
AS_IT_COMES = 0  # in place of a ratio: the data set is imbalanced already
LARGEST_FALL = 0.5  # points by which a curve may fall by chance


# ---- What is run

@dataclass
class DataSet:
    name: str
    classes: int
    pool: str
    ratios: list
    files: str = "{}_{}.npy"  # of train or test and x or y
    folder: str = "data"      # or "demo"

    def paths(self, arguments):
        folder = os.path.abspath(getattr(arguments, self.folder))
        names = {f"{part}-{kind}": self.files.format(part, kind) for part in ("train", "test") for kind in ("x", "y")}
        return {key: os.path.join(folder, name) for key, name in {**names, "pool": self.pool}.items()}


DATA_SETS = {  # the smallest first
    "ham": DataSet("HAM10000", 7, "pool_x.npy", [AS_IT_COMES], "ham_{}_{}.npy"),
    "banking": DataSet("BANKING77", 77, "clinc_pool_x.npy", [AS_IT_COMES], "banking_{}_{}.npy"),
    "fashion": DataSet("Fashion-MNIST", 10, "pool-x.npy", RATIOS, "{}-{}.npy", "demo"),
    "cifar10": DataSet("CIFAR-10", 10, "pool_x.npy", RATIOS, "cifar10_{}_{}.npy"),
    "food101": DataSet("Food-101", 101, "pool_x.npy", RATIOS, "food101_{}_{}.npy"),
    "cifar100": DataSet("CIFAR-100", 100, "pool_x.npy", RATIOS, "cifar100_{}_{}.npy"),
}


@dataclass
class Method:
    name: str
    kind: str
    transform: str = ""
    settings: dict = field(default_factory=dict)
    grid: dict = field(default_factory=dict)  # the best by test accuracy is taken
    tune: str = ""

    def candidates(self):
        return math.prod(map(len, self.grid.values()))


def mean(name, directions, settings):
    return Method(name, "mean", f"whiten:{directions}:0.2", settings)


def fixed_settings():
    methods = [mean(f"plain:{k}", k, {}) for k in (32, 64, 128, 256)]
    methods += [mean(f"shrunk:{k}", k, {"shrink": True}) for k in (32, 64, 128, 256)]
    methods += [mean(f"metric:{k}:{share}", k, {"shrink": True, "metric-share": share}) for k in (128, 256) for share in (0.1, 0.5)]
    methods += [mean(f"steps:{k}", k, {"shrink": True, "refine-steps": 30}) for k in (64, 128, 256)]
    return methods + [Method(kind, kind, tune="public") for kind in ("public", "public-k")]


def baseline(name, kind, grid):
    return Method(name, kind, "pca:256", grid=grid, tune="grid-on-test")


GROUPS = {
    "auto": [Method("auto", "auto")],
    "fixed": fixed_settings(),
    "baselines": [  # the grids of plans/paper
        baseline("DP-SGD", "dp-sgd", {"steps": [10, 30], "rate": [20, 100, 400]}),
        baseline("Global-Adapt", "global-adapt", {"steps": [30], "rate": [50, 200, 800]}),
        baseline("DP-LS", "dp-ls", {"lambda": [10, 30, 60, 150, 300, 600, 1500, 3000]}),
        baseline("DP-FC", "dp-fc", {"steps": [5, 20], "rate": [3, 10], "lambda": [0.01, 0.05]}),
    ],
}


@dataclass
class Run:
    method: str
    candidate: str  # of a grid
    ratio: float
    rho: float
    seed: int
    balanced: float
    minority: float


# ---- Runs: a sweep for each data set and group

def toml(values):
    """Strings, numbers, truth values and lists are the same in TOML as in JSON. Empty strings are left out."""
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items() if value != "")


def method_table(method):
    keys = {"name": method.name, "kind": method.kind, "transform": method.transform, "tune": method.tune}
    keys |= {f"settings.{key}": value for key, value in method.settings.items()}
    keys |= {f"grid.{key}": values for key, values in method.grid.items()}
    return "\n[[method]]\n" + toml(keys)


def plan_text(data, paths, methods, rhos, seeds):
    long_tail = data.ratios != [AS_IT_COMES]
    head = {"title": f"Accuracy on {data.name}", "figures": ["budget", "minority"], "rho": rhos, "ratio": data.ratios if long_tail else "", "seeds": seeds}
    rows = {"train": paths["train-x"], "train-labels": paths["train-y"], "test": paths["test-x"], "test-labels": paths["test-y"]}
    text = toml(head) + "\n[[data]]\n" + toml({"name": data.name, **rows, "classes": data.classes, "pool": "pool", "long-tail": long_tail})
    return text + "\n[[pool]]\n" + toml({"name": "pool", "file": paths["pool"]}) + "".join(map(method_table, methods))


def run_sweep(program, folder, plan, threads):
    path = os.path.join(folder, "plan.toml")
    with open(path, "w") as file:
        file.write(plan)
    command = [program, "sweep", path, "-o", folder, "--threads", str(threads)]
    return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0


def read_sweep(folder):
    """The finished runs, those of grids too, also while the sweep is running."""
    runs = {}
    for line in lines_of(os.path.join(folder, "runs.jsonl")):
        row = next(csv.DictReader(io.StringIO(line["row"])))
        if row["status"] != "ok":
            continue
        asked = {key: value for key, value in json.loads(row["settings"]).items() if key != "used"}
        runs[line["key"]] = Run(row["method"], json.dumps(asked), float(row["ratio"] or AS_IT_COMES), float(row["rho"]), int(row["seed"]),
                                float(row["balanced"]), float(row["minority"]))
    return list(runs.values())


def lines_of(path):
    """Those of a file that may not be there, or be in the middle of its last line."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


# ---- All of it

def say(text):
    print(text, file=sys.stderr, flush=True)


def keep_program(path, output):
    """A copy under its own digest, because the original may be built anew meanwhile."""
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()[:12]
    kept = os.path.join(os.path.abspath(output), "programs", digest)
    if not os.path.exists(kept):
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        shutil.copy2(path, kept)
    return kept


def folder_of(arguments, key, group):
    return os.path.join(arguments.output, key, f"auto-{os.path.basename(arguments.program)}" if group == "auto" else group)


def seeds_of(arguments, group):
    return list(range(1, 1 + (arguments.baseline_seeds if group == "baselines" else arguments.seeds)))


def run_group(arguments, key, group):
    data, methods, seeds = DATA_SETS[key], GROUPS[group], seeds_of(arguments, group)
    paths, folder = data.paths(arguments), folder_of(arguments, key, group)
    say(f"{data.name}: {group}")
    os.makedirs(folder, exist_ok=True)
    return run_sweep(arguments.program, folder, plan_text(data, paths, methods, arguments.rhos, seeds), arguments.threads)


def is_there(arguments, key):
    missing = [path for path in DATA_SETS[key].paths(arguments).values() if not os.path.exists(path)]
    if missing:
        say(f"{DATA_SETS[key].name}: skipped; there is no {missing[0]}")
    return not missing


def read_group(arguments, key, group):
    folder = folder_of(arguments, key, group)
    names, seeds = [method.name for method in GROUPS[group]], seeds_of(arguments, group)
    return [run for run in read_sweep(folder) if run.method in names and run.seed in seeds]


# ---- Numbers

@dataclass
class Estimate:
    mean: float
    error: float | None  # standard error; none for a single seed
    seeds: int


def estimate(values):
    """In points of a hundred; nothing of nothing."""
    if not values:
        return None
    error = 100 * statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    return Estimate(100 * statistics.fmean(values), error, len(values))


def balanced(by_seed):
    return estimate([run.balanced for run in by_seed.values()])


def best_of(choices):
    """Of {name: {seed: run}}: the name with the best mean."""
    return max(choices, key=lambda name: balanced(choices[name]).mean, default=None)


def difference(ours, theirs):
    """Over the seeds that both have: these have the same records."""
    return estimate([ours[seed].balanced - theirs[seed].balanced for seed in ours.keys() & theirs.keys()])


def results_at(runs, ratio, rho):
    """{method: {seed: run}}, with the best candidate of every grid."""
    found = {}
    for run in runs:
        if (run.ratio, run.rho) == (ratio, rho):
            found.setdefault(run.method, {}).setdefault(run.candidate, {})[run.seed] = run
    return {method: candidates[best_of(candidates)] for method, candidates in found.items()}


@dataclass
class Rivals:
    """The best of a group, and auto against it."""
    name: str | None
    best: Estimate | None
    ahead: Estimate | None  # auto minus best
    each: dict              # every method's Estimate


def rivals(results, ours):
    name = best_of(results)
    if name is None:
        return Rivals(None, None, None, {})
    return Rivals(name, balanced(results[name]), difference(ours, results[name]), {one: balanced(runs) for one, runs in results.items()})


@dataclass
class Cell:
    rho: float
    auto: Estimate | None
    minority: Estimate | None
    fixed: Rivals
    baselines: Rivals


def cell_at(runs, ratio, rho):
    ours = results_at(runs["auto"], ratio, rho).get("auto", {})
    return Cell(rho, balanced(ours), estimate([run.minority for run in ours.values()]),
                rivals(results_at(runs["fixed"], ratio, rho), ours), rivals(results_at(runs["baselines"], ratio, rho), ours))


@dataclass
class Curve:
    """One data set at one ratio, over all budgets."""
    data: str
    ratio: float
    cells: list

    def place(self):
        return "as it comes" if self.ratio == AS_IT_COMES else f"imbalance {self.ratio}"

    def regrets(self, group):
        """Points that auto is behind the best; below 0 where it is ahead. With the budget."""
        return [(-getattr(cell, group).ahead.mean, cell.rho) for cell in self.cells if getattr(cell, group).ahead]

    def fall(self):
        """The largest fall from a budget to a larger one, and where it ends."""
        highest, worst = 0, (0, None)
        for cell in self.cells:
            if cell.auto:
                worst = max(worst, (highest - cell.auto.mean, cell.rho), key=lambda one: one[0])
                highest = max(highest, cell.auto.mean)
        return worst


# ---- Tables

def number(value, sign=""):
    """An Estimate, with its error where there is one."""
    if value is None:
        return "–"
    return f"{value.mean:{sign}.1f}" + (f" ±{value.error:.1f}" if value.error is not None else "")


def aligned(table):
    widths = [max(map(len, column)) for column in zip(*table)]
    for line in table:
        cells = [line[0].ljust(widths[0])] + [text.rjust(width) for text, width in zip(line[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def regret_words(regrets):
    if not regrets:
        return "–"
    worst, rho = max(regrets)
    return f"mean {statistics.fmean(regret for regret, _ in regrets):+.1f}, worst {worst:+.1f} at ρ = {rho:g}"


def fall_words(curve):
    fall, rho = curve.fall()
    return f"falls by {fall:.1f} on the way to ρ = {rho:g}" if fall > LARGEST_FALL else "never falls by more than 0.5"


def rival_lines(title, cells, group):
    those = [getattr(cell, group) for cell in cells]
    return [[title] + [number(one.best) for one in those], ["  which"] + [one.name or "–" for one in those],
            ["  auto minus it"] + [number(one.ahead, "+") for one in those]]


def print_curve(curve, counts):
    print(f"\n{curve.data}, {curve.place()} (runs: {counts})")
    table = [["ρ"] + [f"{cell.rho:g}" for cell in curve.cells], ["auto"] + [number(cell.auto) for cell in curve.cells],
             ["  its smallest quarter"] + [number(cell.minority) for cell in curve.cells]]
    aligned(table + rival_lines("best fixed setting", curve.cells, "fixed") + rival_lines("best baseline", curve.cells, "baselines"))
    print(f"regret against fixed settings: {regret_words(curve.regrets('fixed'))}; against baselines: {regret_words(curve.regrets('baselines'))}")
    if any(cell.auto for cell in curve.cells):
        print(f"auto {fall_words(curve)} with more budget")


def count_words(arguments, runs, ratio):
    words = []
    for group, methods in GROUPS.items():
        expected = sum(method.candidates() for method in methods) * len(arguments.rhos) * len(seeds_of(arguments, group))
        there = sum(1 for run in runs[group] if run.ratio == ratio and run.rho in arguments.rhos)
        words.append(f"{group} {there} of {expected}")
    return ", ".join(words)


def worst_cell(curves, group):
    """Mean, worst, and where, of the regrets of some curves."""
    all_of_them = [(regret, rho, curve) for curve in curves for regret, rho in curve.regrets(group)]
    if not all_of_them:
        return None
    worst, rho, curve = max(all_of_them, key=lambda one: one[0])
    mean_regret = statistics.fmean(one[0] for one in all_of_them)
    return {"mean": mean_regret, "worst": worst, "data": curve.data, "place": curve.place(), "rho": rho}


def summary_of(name, curves):
    falls = [curve.fall()[0] for curve in curves]
    return {"data": name, "fixed": worst_cell(curves, "fixed"), "baselines": worst_cell(curves, "baselines"),
            "falls": sum(fall > LARGEST_FALL for fall in falls), "curves": len(curves), "largest_fall": max(falls, default=0)}


def summary_line(summary):
    line = [summary["data"]]
    for group in ("fixed", "baselines"):
        one = summary[group]
        line += [f"{one['mean']:+.1f}", f"{one['worst']:+.1f}", f"{one['place']}, ρ = {one['rho']:g}"] if one else ["–", "–", "–"]
    return line + [f"{summary['falls']} of {summary['curves']}, {summary['largest_fall']:.1f}"]


def print_summary(summaries):
    print("\nRegret: points of balanced accuracy by which auto is behind the best (minus: ahead), over the seeds that both have")
    aligned([["", "fixed: mean", "worst", "where", "baselines: mean", "worst", "where", "curves that fall, most"]] + list(map(summary_line, summaries)))


def curves_of(arguments, key):
    """What is there of a data set, printed."""
    data, curves = DATA_SETS[key], []
    runs = {group: read_group(arguments, key, group) for group in GROUPS}
    for ratio in data.ratios:
        curve = Curve(data.name, ratio, [cell_at(runs, ratio, rho) for rho in arguments.rhos])
        print_curve(curve, count_words(arguments, runs, ratio))
        curves.append(curve)
    return curves


def report(arguments, keys):
    print("Balanced accuracy on test records, %, mean over seeds ± standard error")
    by_data = {key: curves_of(arguments, key) for key in keys}
    summaries = [summary_of(DATA_SETS[key].name, curves) for key, curves in by_data.items()]
    everything = [curve for curves in by_data.values() for curve in curves]
    summaries.append(summary_of("all", everything))
    print_summary(summaries)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"program": os.path.basename(arguments.program), "curves": everything, "summary": summaries}, file, default=vars, indent=1)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")
    parser.add_argument("--also", help="a JSON file with data sets of your own (bench/held_out.py writes one)")
    parser.add_argument("-o", "--output", required=True, help="the directory for all runs")
    parser.add_argument("--dppl", default=DPPL, help="the program")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"), help="the directory of the embeddings")
    parser.add_argument("--demo", default=os.path.join(ROOT, "demo"), help="what ./demo.sh left: the embeddings of Fashion-MNIST")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--baseline-seeds", type=int, default=1, help="of baselines, whose grids are large (default: 1)")
    parser.add_argument("--only", type=words, default=list(DATA_SETS), help=f"some of {','.join(DATA_SETS)}")
    parser.add_argument("--rhos", type=lambda text: list(map(float, text.split(","))), default=RHOS)
    parser.add_argument("--methods", type=words, default=list(GROUPS), help="what to run, in this order: some of auto,fixed,baselines")
    parser.add_argument("--print", action="store_true", help="run nothing, print what is there")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", help="write all numbers into this file, too")
    arguments = parser.parse_args()
    if arguments.also:
        with open(arguments.also) as file:
            DATA_SETS.update({key: DataSet(**values) for key, values in json.load(file).items()})
    for given, known in ((arguments.only, DATA_SETS), (arguments.methods, GROUPS)):
        for name in given:
            if name not in known:
                parser.error(f"'{name}' is unknown; known are {', '.join(known)}")
    if not os.path.exists(arguments.dppl):
        parser.error(f"there is no {arguments.dppl}; scripts/build.sh builds it")
    return arguments


def main():
    arguments = parse_arguments()
    arguments.program = keep_program(arguments.dppl, arguments.output)
    keys = [key for key in arguments.only if is_there(arguments, key)]
    fine = True
    if not arguments.print:
        for group in arguments.methods:
            for key in keys:
                if not run_group(arguments, key, group):
                    say(f"{DATA_SETS[key].name}: {group} did not come to an end; why is said above")
                    fine = False
    report(arguments, keys)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
