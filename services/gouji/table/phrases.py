"""What can be said at a table: the one list of it, which clients fetch by `ListPhrases` (docs/phrases.md shows it).

An id, once given, stays what it is, so that old logs and old clients still mean the same.
"""

from typing import Final, NamedTuple

from gouji.v1 import table_pb2

WORDS: Final = table_pb2.PHRASE_KIND_WORDS
EMOTE: Final = table_pb2.PHRASE_KIND_EMOTE


class Phrase(NamedTuple):
    """One thing to say, in two languages; an emote's words are for those who cannot show pictures."""

    id: str
    kind: table_pb2.PhraseKind.ValueType
    english: str
    chinese: str


PHRASES: Final = (
    Phrase("hello", WORDS, "Hello, everybody.", "大家好。"),
    Phrase("good_luck", WORDS, "Good luck!", "祝你好運！"),
    Phrase("your_turn", WORDS, "Please play, we are waiting.", "快出牌吧，等你呢。"),
    Phrase("one_moment", WORDS, "One moment, let me think.", "稍等，讓我想想。"),
    Phrase("well_played", WORDS, "Well played!", "打得漂亮！"),
    Phrase("nice_burn", WORDS, "What a burn!", "燒得好！"),
    Phrase("got_it", WORDS, "Leave this one to me.", "這把交給我。"),
    Phrase("go_on", WORDS, "Go on, partner!", "對頭，加油！"),
    Phrase("sorry", WORDS, "Sorry, my mistake.", "不好意思，打錯了。"),
    Phrase("no_matter", WORDS, "Never mind.", "沒關係。"),
    Phrase("thanks", WORDS, "Thank you!", "謝謝！"),
    Phrase("one_more", WORDS, "Shall we play another?", "再來一局？"),
    Phrase("good_game", WORDS, "Good game!", "打得不錯，下次再來！"),
    Phrase("smile", EMOTE, "smiles", "微笑"),
    Phrase("laugh", EMOTE, "laughs", "大笑"),
    Phrase("applause", EMOTE, "claps", "鼓掌"),
    Phrase("wow", EMOTE, "is amazed", "驚訝"),
    Phrase("sweat", EMOTE, "is in a sweat", "流汗"),
    Phrase("cry", EMOTE, "is in tears", "大哭"),
    Phrase("thumbs_up", EMOTE, "thumbs up", "點讚"),
)
"""All phrases, in the order in which to show them."""

IDS: Final = frozenset(phrase.id for phrase in PHRASES)
"""What `Say` takes."""


def listed() -> table_pb2.ListPhrasesResponse:
    """Make the answer to `ListPhrases`."""
    return table_pb2.ListPhrasesResponse(phrases=(table_pb2.Phrase(**phrase._asdict()) for phrase in PHRASES))
