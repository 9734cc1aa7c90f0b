"""Speed and memory, as ratios within one run: `make bench`, or `python -m benchmarks --quick --only a,c`."""
