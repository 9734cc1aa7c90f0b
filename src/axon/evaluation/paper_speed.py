"""Tokens a second as the authors' scripts count them, so that they can stand beside the paper's."""

from axon.evaluation.paper import Part
from axon.evaluation.records import Record, Records
from axon.evaluation.summary import tokens_per_second
from axon.models.base import Model
from axon.tasks.published import Published


def speeds(part: Part, records: Records, model: Model) -> dict[str, float]:
    """Tokens a second of every decoder; not a number where none was counted.

    Every answer is decoded in full, and most of its positions may be EOS or text behind the answer. The scripts count
    the tokens of the answer as it is scored for LLaDA, and all but EOS for Dream and for LLaDA's HumanEval in a chat.
    """
    found = part.plan.task(part.task)
    assert isinstance(found, Published)
    whole = not part.model.counts_cut or (part.model.prompting == "chat" and part.task == "humaneval")

    def counted(record: Record) -> Record:
        text = record.get("text", "")
        return record | {"tokens": len(model.encode(text if whole else found.cut(text)))}

    return {text: tokens_per_second([counted(r) for r in records.of(part.task, text)]) for text in part.plan.decoders}
