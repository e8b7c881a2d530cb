"""What a person says and does at the table beside playing: phrases, mutes, votes."""

from collections.abc import Sequence
from typing import Final

from gouji.cli.sentences import sentence
from gouji.client import ClientError, TableClient
from gouji.table.phrases import EMOTE, PHRASES
from gouji.v1.events_pb2 import HandVote, Said
from gouji.v1.table_pb2 import Phrase

_VERBS: Final = ("say", "mute", "unmute", "vote", "unvote")
_WORDS: Final = {phrase.id: phrase for phrase in PHRASES}


async def talk(table: TableClient, line: str) -> list[str] | None:
    """Do what a typed line says, if it is of this kind; gives what to tell the person, or None for another line."""
    verb, _, rest = " ".join(line.lower().split()).partition(" ")
    if verb not in _VERBS:
        return None
    try:
        return await _do(table, verb, rest)
    except ClientError as error:
        if not error.reason:
            raise
        return [sentence(error)]


async def _do(table: TableClient, verb: str, rest: str) -> list[str]:
    if verb == "say":
        return await _say(table, rest)
    if verb in ("vote", "unvote"):
        await table.vote(agree=verb == "vote")
        return []
    if not (rest.isdecimal() and len(rest) == 1):
        return [f"Name the seat: `{verb} 3`."]
    muted = await table.mute(int(rest), muted=verb == "mute")
    return ["You hear everybody." if not muted else f"You do not hear {' '.join(map(str, muted))}."]


async def _say(table: TableClient, rest: str) -> list[str]:
    listed = await table.phrases()
    chosen = rest.replace(" ", "_")
    if chosen in {phrase.id for phrase in listed}:
        await table.say(chosen)
        return []
    return _list(listed)


def _list(phrases: Sequence[Phrase]) -> list[str]:
    return ["Say one of these, by its first word:", *(f"  {one.id}  {one.english} {one.chinese}" for one in phrases)]


def said(event: Said, who: str) -> list[str]:
    """Tell what somebody says; nothing of one who is muted, or of a phrase that this version does not know."""
    phrase = _WORDS.get(event.phrase)
    if phrase is None:
        return []
    return [
        f"{who} {phrase.english} {phrase.chinese}"
        if phrase.kind == EMOTE
        else f"{who}: {phrase.english} {phrase.chinese}"
    ]


def voted(event: HandVote, who: str) -> list[str]:
    """Tell a vote that the hand be given up."""
    if event.agree:
        return [f"{who} wants this hand given up; `vote` agrees."]
    return [f"{who} wants to play this hand on."]
