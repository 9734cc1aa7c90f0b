"""The errors a user meets, each one sentence that names what was wrong and what is allowed."""


class AxonError(ValueError):
    """Bad input of any kind; the message is meant to be read by the person who gave it."""


class LoadError(AxonError):
    """A checkpoint that cannot be loaded as it stands."""
