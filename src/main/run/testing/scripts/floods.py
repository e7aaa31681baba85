"""Prints 10 MB a second for some seconds, among them a loss."""

import sys
import time

seconds = float(sys.argv[1])
line = "x" * 199 + "\n"
start = time.monotonic()
written = 0
while (now := time.monotonic() - start) < seconds:
    if written <= now * 10_000_000:
        sys.stdout.write(line * 500 + f"step {written // 100_000} loss: {1 / (1 + now):.4f}\n")
        written += 100_000
    else:
        time.sleep(0.005)
print("written", written, flush=True)
