"""Does what docs/tutorial.md says, in the current folder: writes the blocks with
a file name, runs the `sh` blocks, and compares what the commands print with the
`text` block that follows, where a line of dots stands for any lines."""
import pathlib
import re
import subprocess
import sys

printed = None
steps = 0
for info, block in re.findall(r"^```(.*?)\n(.*?)^```$", pathlib.Path(sys.argv[1]).read_text(), re.M | re.S):
    words = info.split()
    if len(words) == 2:
        pathlib.Path(words[1]).write_text(block)
    elif words == ["sh"]:
        done = subprocess.run(["sh", "-c", block], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        expected_failure = "Wrong.td" in block
        if (done.returncode != 0) != expected_failure:
            sys.exit(f"exit status {done.returncode} of\n{block}{done.stdout}")
        printed = done.stdout
        steps += 1
    elif words == ["text"]:
        parts = re.split(r"^ *\.\.\.\n", block, flags=re.M)
        pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
        if not re.fullmatch(pattern, printed):
            sys.exit(f"the tutorial promises\n{block}but the command prints\n{printed}")
        steps += 1
print(f"followed {steps} steps")
