"""Profile mode shows the source of every line that it counts, also of kernels
that were compiled elsewhere: the library's folder holds their sources.

usage: profile_lines.py LOSSGRAD_RUN LIBRARY
"""
import json
import os
import subprocess
import sys
import tempfile


def main(run, library):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LOSSGRAD_PROFILE_DIR=os.path.join(folder, "profile"))
        subprocess.run([run, "--library", library, "--op", "aclnnLogSoftmaxBackward", "--shape", "96,512", "--attr", "dim=1", "--mode", "profile"],
                       cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "profile", "profile.json")) as file:
            lines = json.load(file)["launches"][0]["lines"]
        for row in lines:
            if not row.get("text"):
                sys.exit(f"{row['file']}:{row['line']}: {row['call']} is counted, its line is not shown")
        # It is the right line where the call stands in the kernel itself.
        if not any(row["call"] == "Exp" and "Exp(" in row["text"] for row in lines):
            sys.exit("no line with Exp is counted")
    print(f"{len(lines)} lines, each with its source")


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
