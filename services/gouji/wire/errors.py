"""The one error of this package."""


class MalformedMessage(ValueError):
    """A message that says nothing the engine could read: an unset choice, an unknown rank, too many cards.

    The text names the field, never a card: it may reach a log.
    """
