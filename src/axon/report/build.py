"""From a folder or traces to files: figures as PNG and SVG, and report.html with all of them inside."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from axon.errors import AxonError
from axon.evaluation.records import whole_write
from axon.report.source import Run, read_run, read_traces

FIGURES, PAGE = "figures", "report.html"
_NEEDED = ("matplotlib", "jinja2")


@dataclass(frozen=True)
class Written:
    """The files of a report, and a sentence on each figure that the data does not allow."""

    figures: tuple[Path, ...]
    page: Path | None
    left_out: tuple[str, ...]


def write_report(sources: Sequence[Path], *, out: Path | None = None, figures_only: bool = False) -> Written:
    """Report one evaluation folder, or traces; without `out`, into the folder or beside the first trace."""
    require()
    run = read(sources)
    folder = out or run.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AxonError(f"cannot write {folder}: {error.strerror}") from None
    # Here and not above: matplotlib is optional, and slow to import.
    from axon.report.figures.registry import draw
    from axon.report.html import page

    drawn = draw(run, folder / FIGURES)
    path = None
    if not figures_only:
        path = folder / PAGE
        whole_write(path, page(run, drawn))
    return Written(tuple(drawn.paths), path, tuple(drawn.left_out))


def read(sources: Sequence[Path]) -> Run:
    """One evaluation folder, or one or more traces."""
    if not sources:
        raise AxonError("give an evaluation folder, or one or more traces")
    missing = next((path for path in sources if not path.exists()), None)
    if missing is not None:
        raise AxonError(f"there is no folder and no trace {missing}")
    folders = [path for path in sources if path.is_dir()]
    if folders and len(sources) > 1:
        raise AxonError(f"a report is of one folder or of traces; {folders[0]} is a folder among {len(sources)} inputs")
    return read_run(sources[0]) if folders else read_traces(sources)


def require() -> None:
    """Refuse to start without the packages that draw."""
    absent = [name for name in _NEEDED if find_spec(name) is None]
    if absent:
        raise AxonError(f"reports need {' and '.join(absent)}; install with: pip install 'axon-dllm[report]'")
