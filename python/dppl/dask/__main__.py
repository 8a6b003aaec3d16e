"""python -m dppl.dask: the functions of dppl.dask as commands, on a cluster that is started here or runs elsewhere."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
from typing import Any, Iterator, NoReturn

EXAMPLES = {
    None: """\
example, all on this machine:
  python -m dppl.dask embed public-images/ -o public.npy --shards 8
  python -m dppl.dask build-pool public-*-of-8.npy -o public.pools --shards 4
  python -m dppl.dask fit --train x.npy --labels y.npy --classes 10 --pool public.pools \\
         --epsilon 1 --ledger clinic.ledger --dataset scans -o scans.dppl

Without --scheduler the commands start worker processes here, and end them. Give a scheduler to use other machines:
  --scheduler tls://HOST:8786 --tls-ca ca.pem --tls-cert me.pem --tls-key me.key
Whatever cluster it is, the files are the same, bit for bit, as those of one process. docs/scale.md says more.""",
    "embed": """\
example:
  python -m dppl.dask embed public-images/ --encoder model.onnx -o public.npy --shards 64
writes public-01-of-64.npy to public-64-of-64.npy, the same as 'dppl embed … --shard 1/64' and so on. Parts that are
there are left as they are: the same command goes on after an interruption.""",
    "build-pool": """\
example:
  python -m dppl.dask build-pool public-*-of-64.npy -o public.pools --shards 16
writes public-01-of-16.pool to public-16-of-16.pool and, when all are there and checked, the list of them,
public.pools. It is what 'dppl pool build … --shard 1/16' and 'dppl pool commit' do.""",
    "fit": """\
example:
  python -m dppl.dask fit --train x.npy --labels y.npy --classes 10 --pool public.pools \\
         --epsilon 1 --ledger clinic.ledger --dataset scans -o scans.dppl
is 'dppl fit --method public' with the shards of the pool on the workers. Private rows stay in this process; class
sums (and quantised records, where scores are clipped) go to workers, over TLS only: a cluster without it is refused.
They are held in memory, never written to disk, logged or shown. A lost worker is replaced and asked the same again;
if none is left the fit fails, and what it cost stays spent.""",
    "sweep": """\
example:
  python -m dppl.dask sweep plans/accuracy.toml -o accuracy --data embeddings/ --workers 8
is 'dppl sweep' with the runs shared among the workers. Nothing of it is private.""",
    "simulate": """\
example:
  python -m dppl.dask simulate --shards 1,10,100,1000
runs one fit over generated rows for each number of shards, all in this process, through the messages that workers
get, and prints how many there are and how large.""",
    "plan": """\
example:
  python -m dppl.dask plan --rows 1e9 --dim 1280 --machines 100
prints what each step reads, moves and holds, and how long it takes at the stated rates: the table of docs/scale.md.""",
}


USAGE = {
    "embed": "IMAGES -o X.npy [options]",
    "build-pool": "X.npy... -o P.pools [options]",
    "fit": "--train X.npy --labels Y.npy --classes N --pool P.pools --epsilon E -o MODEL.dppl [options]",
    "sweep": "PLAN.toml -o DIR [options]",
    "simulate": "[options]",
    "plan": "[options]",
}


class Wide(argparse.RawDescriptionHelpFormatter):
    """One line per option, so that all of it is seen at once."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=118)


class Parser(argparse.ArgumentParser):
    def __init__(self, **given: Any) -> None:
        super().__init__(formatter_class=Wide, allow_abbrev=False, **given)


def cluster_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("the cluster")
    group.add_argument("--scheduler", metavar="ADDRESS", help="of a cluster that runs: tls://HOST:PORT (default: start workers here)")
    group.add_argument("--tls-ca", metavar="FILE", help="the authority that signed the cluster's certificates")
    group.add_argument("--tls-cert", metavar="FILE", help="the certificate of this machine")
    group.add_argument("--tls-key", metavar="FILE", help="its key")
    group.add_argument("--workers", type=positive, metavar="N", help="processes to start here (default: one per core)")
    group.add_argument("--threads", type=positive, default=1, metavar="N", help="threads per worker (default 1); they change no result")
    group.add_argument("--patience", type=float, default=300, metavar="SECONDS", help="wait so long for lost workers or a lost scheduler (default 300)")
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return value


def add(commands: Any, name: str, words: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words, epilog=EXAMPLES[name], usage=f"python -m dppl.dask {name} {USAGE[name]}")
    return command


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m dppl.dask", description="Embedding, pools in shards, fits and sweeps on the workers of a Dask cluster.", epilog=EXAMPLES[None])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)

    embed = add(commands, "embed", "Turn images into embeddings, in parts")
    embed.add_argument("images", help="what 'dppl embed' takes, on a folder that all share")
    embed.add_argument("-o", "--output", required=True, metavar="X.npy", help="part i of N is written to X-i-of-N.npy")
    embed.add_argument("--shards", type=positive, metavar="N", help="parts (default: 4 per worker)")
    embed.add_argument("--encoder", default="builtin:hog", metavar="NAME|model.onnx", help="a built-in encoder, or a model (default builtin:hog)")
    embed.add_argument("--labels", metavar="Y.npy", help="labels to write beside them, in the same parts")
    embed.add_argument("--classes", metavar="N|NAMES.txt", help="the declared classes")
    embed.add_argument("--skip-bad", action="store_true", help="continue without images that cannot be read")
    embed.add_argument("--size", type=positive, metavar="PIXELS", help="side of the images that the encoder sees")
    cluster_options(embed)

    build = add(commands, "build-pool", "Make a pool of embeddings, in shards, and its list")
    build.add_argument("sources", nargs="+", metavar="X.npy", help="embeddings, one file after the other")
    build.add_argument("-o", "--output", required=True, metavar="P.pools", help="the list of shards to write; the shards stand beside it")
    build.add_argument("--shards", type=positive, metavar="N", help="files to cut it into (default: 4 per worker)")
    build.add_argument("--transform", default="none", help="computed from the pool and stored with it (default none)")
    cluster_options(build)

    add_fit(commands)

    sweep = add(commands, "sweep", "Run the many fits of a plan (for experiments)")
    sweep.add_argument("plan", metavar="PLAN.toml", help="what to run")
    sweep.add_argument("-o", "--output", required=True, metavar="DIR", help="the directory for the results, which all share")
    sweep.add_argument("--data", metavar="DIR", help="where the plan's relative paths start (default: the directory of the plan)")
    cluster_options(sweep)

    simulate = add(commands, "simulate", "Count the messages of a fit over 1 to 1,000 shards")
    simulate.add_argument("--rows", type=whole, default=100_000, help="of the generated pool (default 100,000)")
    simulate.add_argument("--dim", type=whole, default=64, help="values per row (default 64)")
    simulate.add_argument("--classes", type=whole, default=10, help="default 10")
    simulate.add_argument("--records", type=whole, default=2000, help="private ones (default 2,000)")
    simulate.add_argument("--shards", default="1,3,10,30,100,300,1000", metavar="N,N,…", help="default 1,3,10,30,100,300,1000")
    simulate.add_argument("--method", default="public", choices=("public", "public-k"))
    simulate.add_argument("--clip", action="store_true", help="clip scores, so that shards get the quantised records")
    simulate.add_argument("--json", action="store_true", help="one JSON object on standard output")

    plan = add(commands, "plan", "Say what a pool of this size costs on so many machines")
    plan.add_argument("--rows", type=whole, default=10**9, help="of the pool (default 1e9)")
    plan.add_argument("--dim", type=whole, default=1280, help="values per row (default 1280)")
    plan.add_argument("--machines", type=whole, default=100, help="default 100")
    plan.add_argument("--shards-per-machine", type=whole, default=1, help="default 1")
    plan.add_argument("--classes", type=whole, default=100, help="default 100")
    plan.add_argument("--records", type=whole, default=50_000, help="private ones (default 50,000)")
    plan.add_argument("--images-per-second", type=float, default=400, help="that one machine embeds (default 400)")
    plan.add_argument("--image-bytes", type=float, default=100e3, help="of one image file (default 100e3)")
    plan.add_argument("--disk", type=float, default=2e9, help="bytes per second that one machine reads (default 2e9)")
    plan.add_argument("--memory-rate", type=float, default=40e9, help="bytes per second of one machine's memory (default 40e9)")
    plan.add_argument("--multiplies", type=float, default=2e12, help="int8 multiply-adds per second of one machine (default 2e12)")
    plan.add_argument("--network", type=float, default=1.25e9, help="bytes per second of one machine's network (default 1.25e9, 10 Gbit)")
    plan.add_argument("--round-trip", type=float, default=2e-3, help="seconds of one message through Dask and back (default 2e-3)")
    plan.add_argument("--message", type=float, default=1e-3, help="seconds of the coordinator for each request (default 1e-3)")
    plan.add_argument("--price", type=float, default=1.0, help="of one machine for an hour (default 1)")
    plan.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return parser


def whole(text: str) -> int:
    value = float(text)
    if value != int(value) or value < 1:
        raise argparse.ArgumentTypeError("a whole number, at least 1")
    return int(value)


def add_fit(commands: Any) -> None:
    from .. import _core
    from .._parameters import SETTINGS

    fit = add(commands, "fit", "Make a publishable classifier, with the pool spread over workers")
    fit.add_argument("--method", default="public", choices=("public", "public-k"), help="mean and auto need no workers: 'dppl fit --pool P.pools' (default public)")
    fit.add_argument("--train", required=True, metavar="X.npy", help="private embeddings, read here alone")
    fit.add_argument("--labels", required=True, metavar="Y.npy", help="their labels (.npy of class numbers, or .txt of names)")
    fit.add_argument("--classes", required=True, metavar="N|NAMES.txt", help="the declared classes: a number, or a file with one name per line")
    fit.add_argument("--pool", required=True, metavar="P.pools", help="the list of shards; workers read them under the same path")
    fit.add_argument("-o", "--output", required=True, metavar="MODEL.dppl", help="the model to write")
    for name, words in (("rho", "the budget in zCDP"), ("epsilon", "the budget in pure DP, or with --delta"), ("delta", "goes with --epsilon")):
        fit.add_argument(f"--{name}", help=words)
    fit.add_argument("--ledger", help="reserve the budget in this ledger first")
    fit.add_argument("--dataset", help="the data set's name in the ledger")
    fit.add_argument("--people", metavar="IDS", help="whose record each row is (.npy or .txt): privacy for people")
    fit.add_argument("--examples", metavar="X.npy", help="public rows that show classes; they cost nothing")
    fit.add_argument("--example-labels", metavar="Y.npy", help="their labels")
    fit.add_argument("--class-prior", metavar="V.npy", help="one public vector per class")
    cluster_options(fit)
    fields = {field["name"]: field for field in _core.setting_fields()}
    settings = fit.add_argument_group("settings (dppl fit --help-all says more)")
    for parameter, name in SETTINGS.items():
        if {"public", "public-k"} & set(fields[name]["methods"].split()):
            settings.add_argument(f"--{name}", dest=f"setting_{parameter}", metavar="VALUE", help=fields[name]["words"].replace("%", "%%"))
    fit.add_argument("--seed", type=int, help="a fixed seed, for tests and experiments; needs --not-private")
    fit.add_argument("--not-private", action="store_true", help="yes, a model that protects nobody")


@contextlib.contextmanager
def cluster(options: argparse.Namespace) -> Iterator[Any]:
    from . import connect, local_cluster

    if options.scheduler:
        client = connect(options.scheduler, ca=options.tls_ca, cert=options.tls_cert, key=options.tls_key)
        with client:
            yield client
    else:
        with local_cluster(options.workers, options.threads) as client:
            yield client


def print_result(options: argparse.Namespace, result: dict[str, Any], words: str) -> None:
    print(json.dumps(result, ensure_ascii=False) if options.json else words)


def run_embed(options: argparse.Namespace) -> None:
    from . import embed

    with cluster(options) as client:
        parts = embed(
            client, options.images, options.output, shards=options.shards, encoder=options.encoder, labels=options.labels,
            classes=declared(options.classes), skip_bad=options.skip_bad, size=options.size, threads=options.threads, patience=options.patience, verbose=True,
        )  # fmt: skip
    print_result(options, {"parts": parts}, f"{parts[0]} to {os.path.basename(parts[-1])}: {len(parts)} parts")


def run_build_pool(options: argparse.Namespace) -> None:
    from . import build_pool

    with cluster(options) as client:
        info = build_pool(client, options.sources, options.output, shards=options.shards, transform=options.transform, threads=options.threads, patience=options.patience, verbose=True)
    print_result(options, {"pool": options.output, **info}, f"{options.output}: {info['rows']} rows of {info['dim']} values\ndigest {info['digest']}")


def declared(text: str | None) -> int | list[str] | None:
    """A number, or the names in a file, one per line."""
    if text is None:
        return None
    return int(text) if text.isdigit() else lines_of(text)


def lines_of(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def values_of(path: str) -> Any:
    import numpy as np

    return np.array(lines_of(path)) if path.endswith(".txt") else np.load(path)


def run_fit(options: argparse.Namespace) -> None:
    from .. import inspect
    from . import fit
    from ._cluster import refuse_open_address

    if options.scheduler:
        refuse_open_address(options.scheduler)
    if (options.seed is not None) != options.not_private:
        usage("--seed: a fixed seed makes a model that protects nobody: give --seed and --not-private together, or neither")
    if (options.ledger is None) != (options.dataset is None):
        usage("--ledger goes with --dataset")
    if (options.examples is None) != (options.example_labels is None):
        usage("--examples goes with --example-labels")
    inputs = (options.train, options.labels, options.people, options.pool, options.classes, options.ledger, options.examples, options.example_labels, options.class_prior)
    for file in inputs:
        if file and os.path.exists(file) and os.path.exists(options.output) and os.path.samefile(file, options.output):
            raise ValueError(f"{options.output}: is an input, and would be overwritten")
    check_room(options.output)
    classes = declared(options.classes)
    settings = {name[len("setting_") :]: value for name, value in vars(options).items() if name.startswith("setting_") and value is not None}
    parameters: dict[str, Any] = {
        "classes": classes,
        "rho": options.rho,
        "epsilon": options.epsilon,
        "delta": options.delta,
        "ledger": options.ledger,
        "dataset": options.dataset,
        "examples": (options.examples, values_of(options.example_labels)) if options.examples else None,
        "class_prior": options.class_prior,
        "seed": options.seed,
        "threads": options.threads,
        **settings,
    }
    if options.ledger is None:
        import warnings

        from .. import NoLedgerWarning

        warnings.simplefilter("ignore", NoLedgerWarning)
        sys.stderr.write("No ledger: what this fit spends is written down nowhere; --ledger FILE --dataset NAME keeps the account.\n")
    with cluster(options) as client:
        model = fit(
            client, options.train, values_of(options.labels), pool=options.pool, method=options.method,
            people=values_of(options.people) if options.people else None, patience=options.patience, verbose=True, **parameters,
        )  # fmt: skip
        digest = model.save(options.output)
    found = inspect(options.output)
    found.pop("prototypes", None)
    promise = f"private: {model.guarantee_}" if model.guarantee_.is_private else "NOT PRIVATE (fixed seed): do not publish it"
    print_result(options, {**found, "model": options.output, "digest": digest}, f"{options.output}: {options.method}, {promise}\ndigest {digest}\n'dppl inspect {options.output}' tells the whole guarantee.")


def check_room(output: str) -> None:
    """A full disk is found here, before anything is spent."""
    with tempfile.TemporaryFile(dir=os.path.dirname(os.path.abspath(output))) as file:
        os.posix_fallocate(file.fileno(), 0, 64 << 20)


def run_sweep(options: argparse.Namespace) -> None:
    from . import sweep

    with cluster(options) as client:
        table = sweep(client, options.plan, options.output, data=options.data, threads=options.threads, patience=options.patience, verbose=True)
    failed = int((table["status"] != "ok").sum())
    report = os.path.join(options.output, "report.html")
    if failed:
        sys.stderr.write(f"warning: {failed} of {len(table)} runs failed; the column 'error' of results.csv says why\n")
    print_result(options, {"results": os.path.join(options.output, "results.csv"), "report": report, "runs": len(table), "failed": failed, "private": False}, f"{report}: {len(table)} runs; open it in a browser")


def run_simulate(options: argparse.Namespace) -> None:
    from ._simulate import simulate, table_of

    counts = [whole(text) for text in options.shards.split(",")]
    found = simulate(rows=options.rows, dim=options.dim, classes=options.classes, records=options.records, shards=counts, method=options.method, clip=options.clip)
    print_result(options, {"fits": found}, table_of(found))


def run_plan(options: argparse.Namespace) -> None:
    from ._plan import Rates, plan, table_of

    rates = Rates(
        images_per_second=options.images_per_second, image_bytes=options.image_bytes, disk=options.disk, memory=options.memory_rate, multiplies=options.multiplies,
        network=options.network, round_trip=options.round_trip, message=options.message, price=options.price,
    )  # fmt: skip
    steps = plan(rows=options.rows, dim=options.dim, machines=options.machines, shards=options.machines * options.shards_per_machine, classes=options.classes, records=options.records, rates=rates)
    print_result(options, {"steps": [step._asdict() for step in steps]}, table_of(steps))


RUN = {"embed": run_embed, "build-pool": run_build_pool, "fit": run_fit, "sweep": run_sweep, "simulate": run_simulate, "plan": run_plan}


def usage(said: str) -> NoReturn:
    sys.stderr.write(f"dppl.dask: {said}\n")
    raise SystemExit(2)


def main(arguments: list[str] | None = None) -> int:
    options = make_parser().parse_args(arguments)
    try:
        RUN[options.command](options)
    except (OSError, ValueError, RuntimeError) as error:
        sys.stderr.write(f"dppl.dask: {error}\n")
        return 1
    except KeyboardInterrupt as error:
        sys.stderr.write(f"\ndppl.dask: interrupted{f'; {error}' if str(error) else ''}\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
