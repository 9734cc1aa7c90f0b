"""The command line. `main` is the `axon` command."""

import os
import sys

from axon.errors import AxonError


def main() -> None:
    """Run the command; bad input is one sentence on standard error and exit code 2."""
    from axon.cli.app import app

    try:
        app()
    except AxonError as error:
        print(f"axon: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader has gone (`axon … | head`); what is left to write goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
