#!/usr/bin/env python3
"""What the hand-written programs say, as numbers to compare with gpx's findings.

Usage: tests/gpu/by_hand.py OUT     (the folder that tests/gpu/hand.sh filled)
Prints CSV: name,value,unit. A program whose output is absent or empty is left out. Latencies are
plateaus, rates are least-square slopes; `first` and `last` are the slopes of the first and the last
third of the points, which agree where one more costs the same throughout.
"""
import csv
import pathlib
import statistics
import sys


def read(folder, name):
    path = folder / f"{name}.csv"
    if not path.exists() or path.stat().st_size == 0:
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def say(name, value, unit=""):
    print(f"{name},{value if isinstance(value, str) else format(value, '.6g')},{unit}")


def groups(rows, *keys):
    """{key values: rows}, in the order of the rows."""
    out = {}
    for row in rows:
        out.setdefault(tuple(row[k] for k in keys), []).append(row)
    return out


def slope(points):
    """Of the least squares of (x, y), and the value at x = 0."""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    x, y = statistics.fmean(xs), statistics.fmean(ys)
    rise = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a in xs)
    return rise, y - rise * x


def thirds(points):
    """The slopes of the first and of the last third of the points, of three at least."""
    part = max(3, len(points) // 3)
    return slope(points[:part])[0], slope(points[-part:])[0]


def l2_mean(rows):
    for (level, mode), some in groups(rows, "level", "mode").items():
        name = f"l2_mean.{level}.{mode}"
        grand = [float(r["clocks"]) for r in some if r["sm"] == "all"]
        for repeat, value in enumerate(grand):
            say(f"{name}[{repeat}]", value, "clocks")
        say(f"{name}", statistics.fmean(grand), "clocks")
        say(f"{name}.spread", 100 * (max(grand) - min(grand)) / min(grand), "%")
        for column, unit in (("ns", "ns"), ("mhz", "MHz")):
            say(f"{name}.{column}",
                statistics.fmean(float(r[column]) for r in some if r["sm"] == "all"), unit)
        by_sm = [statistics.fmean(float(r["clocks"]) for r in of_sm)
                 for (sm,), of_sm in groups(some, "sm").items() if sm != "all"]
        say(f"{name}.least_sm", min(by_sm), "clocks")
        say(f"{name}.most_sm", max(by_sm), "clocks")


def bulk_rate(rows):
    for (size,), some in groups(rows, "bytes").items():
        points = [(int(r["copies"]), float(r["mean"])) for r in some]
        name, (rise, _), (first, last) = f"bulk_rate.{size}B", slope(points), thirds(points)
        say(f"{name}.latency", points[0][1], "clocks")
        say(f"{name}.one_more", rise, "clocks")
        say(f"{name}.one_more.first", first, "clocks")
        say(f"{name}.one_more.last", last, "clocks")
        say(f"{name}.first_over_last", 100 * (first / last - 1) if last else float("nan"), "%")
        say(f"{name}.rate.last", int(size) / last if last else float("nan"), "B/clk")
        say(f"{name}.error", max(float(r["error"]) for r in some), "clocks")


def dram_read_words(rows):
    best = {}
    for (word, blocks, unroll), some in groups(rows, "word", "blocks", "unroll").items():
        points = [(float(size) * 2**30, statistics.median(float(r["ms"]) for r in of_size) / 1e3)
                  for (size,), of_size in groups(some, "gigabytes").items()]
        (rise, rest), (first, last) = slope(points), thirds(points)
        name = f"dram_read.{word}B.blocks{blocks}.unroll{unroll}"
        say(name, 1e-9 / rise, "GB/s")
        say(f"{name}.first_over_last", 100 * (first / last - 1), "%")
        say(f"{name}.besides", rest * 1e6, "us")
        best[word] = max(best.get(word, 0), 1e-9 / rise)
    for word, rate in best.items():
        say(f"dram_read.{word}B", rate, "GB/s")


def policy_shares(name, rows, label):
    """Of each model the mean and the least share over sets and lists, the best model first."""
    shares = {}
    for row in rows:
        shares.setdefault(row[label], []).append(float(row["value"]))
    for model, values in sorted(shares.items(), key=lambda item: -statistics.fmean(item[1])):
        say(f"{name}.{model}", statistics.fmean(values), "%")
        say(f"{name}.{model}.least", min(values), "%")


def l2_policy(rows):
    for (level,), some in groups(rows, "level").items():
        facts = [r for r in some if not r["lines"]]
        for (what,), of_what in groups(facts, "what").items():
            say(f"policy.{level}.{what.replace(' ', '_')}",
                " ".join(r["value"] for r in of_what), "of each set")
        models = [r for r in some if r["lines"] and not r["what"].endswith(" least")]
        policy_shares(f"policy.{level}", [r for r in models if r["what"] != "misses"], "what")


def shared_memory(rows):
    for row in rows:
        name = f"shared.{row['what']}.{row['key']}".replace(" ", "_")
        say(name, float(row["value"]), row["unit"])
    by = {(r["what"], r["key"]): float(r["value"]) for r in rows}
    ways = [(int(key.split()[0]), v) for (what, key), v in by.items() if what == "ways latency"]
    if not ways:
        return
    further = slope(ways)[0]
    say("shared.clocks_of_a_further_way", further, "clocks")
    strides = {int(key.split()[0]): v for (what, key), v in by.items() if what == "stride latency"}
    if not strides:
        return
    apart = {s: round(1 + (v - min(strides.values())) / further) for s, v in strides.items()}
    say("shared.ways_by_stride", " ".join(f"{s}:{w}" for s, w in apart.items()), "ways")
    worst = max(apart, key=lambda s: (apart[s], -s))
    say("shared.banks", worst, "words: the least stride that is worst")


def between(a, b):
    return (a + b) / 2


def constant_levels(rows):
    lists = {stride: [(int(r["footprint"]), int(r["lines"]), float(r["value"])) for r in some]
             for (stride,), some in groups([r for r in rows if r["what"] == "list"], "key").items()}
    if "64" not in lists:
        return
    l1 = statistics.median(v for f, _, v in lists["64"] if f <= 1536)
    l15 = statistics.median(v for f, _, v in lists["64"] if 4096 <= f <= 16384)
    say("constant.l1.latency", l1, "clocks")
    say("constant.l1_5.latency", l15, "clocks")
    within = {stride: [p for p in points if p[2] < l1 + 0.1 * (l15 - l1)]
              for stride, points in lists.items()}
    for stride in ("32", "64", "256"):
        if within.get(stride):
            say(f"constant.l1.capacity.stride{stride}", max(p[0] for p in within[stride]), "B")
    for stride in ("128", "512", "1024", "2048", "4096"):
        if within.get(stride):
            most = max(p[1] for p in within[stride])
            say(f"constant.l1.words.stride{stride}", most, "words that hit")
    for stride in ("32", "64", "256"):
        beyond = [f for f, _, v in lists.get(stride, []) if v > 1.1 * l15]
        end = min(beyond) if beyond else "none"
        say(f"constant.l1_5.end.stride{stride}", end, "B: the first beyond")
        if lists.get(stride):
            say(f"constant.at_64KB.stride{stride}", lists[stride][-1][2], "clocks")


def constant(rows):
    constant_levels(rows)
    touches = [(int(r["footprint"]), float(r["value"])) for r in rows if r["what"] == "first touch"]
    if touches:
        limit = between(min(v for _, v in touches), max(v for _, v in touches))
        near = " ".join(str(d) for d, v in touches if v < limit)
        say("constant.l1.same_line", near, "B from its begin")
    halves = groups([r for r in rows if r["what"] == "halves"], "footprint")
    for (size,), some in halves.items():
        alone = next(float(r["value"]) for r in some if r["key"] == "0")
        say(f"constant.halves.{size}B.alone", alone, "clocks")
        for row in some:
            if row["key"] != "0":
                times = float(row["value"]) / alone
                say(f"constant.halves.{size}B.with_sm{row['key']}", times, "times")
    alone = {r["key"]: float(r["value"]) for r in rows if r["what"] == "alone"}
    shared = {r["key"]: float(r["value"]) for r in rows if r["what"] == "shared"}
    if alone:
        say("constant.first_walk.alone", statistics.median(alone.values()), "clocks")
        say("constant.first_walk.behind_sm0", statistics.median(shared.values()), "clocks")
        with_0 = [sm for sm, v in shared.items() if v < 0.75 * alone[sm]]
        say("constant.l1_5.shared_with_sm0", " ".join(with_0) or "none", "SMs")
        if with_0:
            walk = statistics.median(shared[sm] for sm in with_0)
            say("constant.first_walk.shared", walk, "clocks")
    models = [r for r in rows if r["what"].startswith("policy ")]
    for row in models:
        row["model"] = row["what"].removeprefix("policy ")
        if row["model"] in ("misses", "limit"):
            say(f"constant.l1.policy.{row['model']}.{row['lines']}_lines", float(row["value"]))
    models = [r for r in models if r["model"] not in ("misses", "limit")]
    policy_shares("constant.l1.policy", models, "model")


def wgmma(rows):
    for row in rows:
        say(f"{row['finding']}.{row['key']}".replace(" ", "_"), row["value"])


def matrix(rows):
    for row in rows:
        say(f"matrix.{row['name']}.latency", float(row["latency"]), "clocks")
        say(f"matrix.{row['name']}.one_more", float(row["clocks of one more of all warps"]),
            f"clocks of {row['warps']} warps")


PROGRAMS = (l2_mean, bulk_rate, l2_policy, shared_memory, constant, dram_read_words, wgmma, matrix)


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    print("name,value,unit")
    for program in PROGRAMS:
        rows = read(pathlib.Path(arguments[0]), program.__name__)
        if rows:
            program(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
