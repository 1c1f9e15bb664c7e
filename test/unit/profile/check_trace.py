"""Checks the files that a profile run writes, without a viewer.

usage: check_trace.py DIRECTORY

trace.json: every event has what Perfetto needs, events of one track follow each
other, every track has a name. profile.json: the keys that other tools read are
there. Exit status 1 and one line per problem otherwise.
"""
import json
import os
import sys

LAUNCH_KEYS = {"kernel", "soc", "model", "timingOnly", "readsMissingData", "blocks", "cores", "chipCores", "clockMHz", "modelled", "boundsUs",
               "ratios", "bytes", "utilisation", "criticalPipe", "ub", "bankConflictShare", "impliedBarriers", "scalar",
               "loadBalance", "memory", "vectorElements", "coreEndsUs", "kinds", "lines"}


def trace_problems(trace):
    named, ends = set(), {}
    for event in trace["traceEvents"]:
        track = (event.get("pid"), event.get("tid"))
        if event["ph"] == "M":
            named.add(track if event["name"] == "thread_name" else event["pid"])
            continue
        if event["ph"] != "X" or not event["name"] or not all(isinstance(n, int) for n in track):
            yield f"no complete event: {event}"
            continue
        if event["dur"] < 0 or event["ts"] < ends.get(track, 0) - 1e-6:
            yield f"out of order on its track: {event}"
        ends[track] = event["ts"] + event["dur"]
    if not ends:
        yield "the trace has no events"
    for track in ends:
        if track not in named or track[0] not in named:
            yield f"track {track} has no name"


def profile_problems(profile):
    if profile["format"] != "lossgrad-profile" or "modelled" not in profile["note"].lower():
        yield f"not a profile that says it is modelled: {profile['format']}, {profile['note']}"
    for launch in profile["launches"]:
        if set(launch) != LAUNCH_KEYS:
            yield f"keys of a launch: {sorted(set(launch) ^ LAUNCH_KEYS)} differ"


def main():
    problems = []
    with open(os.path.join(sys.argv[1], "trace.json"), encoding="utf-8") as file:
        problems += trace_problems(json.load(file))
    with open(os.path.join(sys.argv[1], "profile.json"), encoding="utf-8") as file:
        problems += profile_problems(json.load(file))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
