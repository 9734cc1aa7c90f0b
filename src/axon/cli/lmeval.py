"""lm_eval and axon lm-eval: lm-eval's own command line, with the model `axon` among its models."""

import sys

import typer

from axon.errors import AxonError

# Everything behind the name is lm-eval's to read, --help included.
CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def lmeval(context: typer.Context) -> None:
    """Run lm-eval with AXON's decoders: --model axon --model_args pretrained=…,decoder=dawn+axon --tasks …"""
    try:
        from axon.evaluation.harness import main
    except ImportError as error:
        raise AxonError(str(error)) from None
    sys.argv = ["axon lm-eval", *context.args]
    main()


def main() -> None:
    """The command lm_eval, which this package puts in the place of lm-eval's own so that --model axon is known."""
    try:
        from axon.evaluation.harness import main
    except ImportError as error:
        sys.exit(f"lm_eval: {error}")
    try:
        main()
    except AxonError as error:
        sys.exit(f"lm_eval: {error}")
