"""The state text of a hand (docs/notation.md): what digests go over must never change."""

import hashlib
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gouji.engine import Action, Hand, RuleSet
from gouji.engine.notation import parse_position

PAGE = (Path(__file__).parents[2] / "docs/notation.md").read_text(encoding="utf-8")

PINNED = {
    "b4c6139d7e6e76122f57e62995455d1178c088b040afd29c19db38cf176796e5": (
        "standard 44QQ/KK/66/AA/73/5 0 first_hand",
        "0 play 44, 1 play KK, 3 pass, 4 pass, 2 play 66, 3 pass, 4 pass, 5 pass, 0 pass, 3 play AA, "
        "4 pass, 5 pass, 0 pass, 4 play 7, 5 pass, 0 pass, 4 play 3, 5 play 5",
        """\
gouji state 1
rules: standard
phase: over
first_hand: yes
first_leader: 0
trick_leader: 4
hand 0: QSH
played 0: 44
played 1: KK
played 2: 66
played 3: AA
played 4: 73
played 5: 5
finished: 1 2 3 4 5
places: 1 2 3 4 5 0
""",
    ),
    "d11a67ad59018cdfe913d21e72a4942da50cc8a5f289c3554d33da730b92a798": (
        "standard:opposite_last_word=always KKwW3/AAw5599/34/345/34/34 0",
        "0 play KK, 1 burn AA",
        """\
gouji state 1
rules: standard:opposite_last_word=always
phase: play
first_leader: 0
trick_leader: 0
hand 0: W w 3S
hand 1: w 9SH 5SH
hand 2: 4S 3S
hand 3: 5S 4S 3S
hand 4: 4S 3S
hand 5: 4S 3S
played 0: KK
played 1: AA
places: - - - - - -
burning: 1>0 0
table: AA
table_seat: 1
plays: 2
asked_now: 0 burn
to_ask: 0 burn, 4 gouji
window: yes
""",
    ),
    "dede43d42ac6fba201cfacdb0e327b9b690147c40d4a0f495d660323d2eb9f11": (
        "qingdao 2KK3/W3/AA33/w44/553/2663 1 phase=tribute owed=5>0:last:2,4>1:last:1",
        "5 pay 2",
        """\
gouji state 1
rules: qingdao
phase: tribute
first_leader: 1
trick_leader: 1
hand 0: 2SS KSH 3S
hand 1: W 3S
hand 2: ASH 3SH
hand 3: w 4SH
hand 4: 5SH 3S
hand 5: 6SH 3S
places: - - - - - -
asked_now: 0 return
owed: 5>0 last 2, 4>1 last 1
bought: yes
buyers_seen: 6
due: 1
received 0: 2
""",
    ),
}
"""Positions, actions and the text of what they lead to, by its digest: of each released version."""


@pytest.mark.parametrize("digest", PINNED)
def test_a_text_and_its_digest_stay_as_they_are(digest: str) -> None:
    position, actions, text = PINNED[digest]
    hand = parse_position(position).set_up()
    for action in actions.split(", "):
        hand.apply(Action.parse(action))
    assert hand.state_text() == text
    assert hand.digest() == digest == hashlib.sha256(text.encode()).hexdigest()


def test_the_text_of_the_page_is_one() -> None:
    (shown,) = re.findall(r"^```state\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert shown in {text for _, _, text in PINNED.values()}


SPECS = (
    "standard",
    "korea",
    {"preset": "qingdao", "fours_open": True, "sink_fours": True, "no_bare_joker_lead": True, "resist": True},
    {"preset": "lianzhong", "doubles_called": True, "may_decline_tribute": True, "opposite_opens": "three"},
    {"preset": "standard", "lay_off": True, "feel": 3, "report": "on_request", "last_by": "choice"},
)


@settings(max_examples=40)
@given(spec=st.sampled_from(SPECS), seed=st.integers(0, 2**32), held=st.booleans())
def test_whatever_is_done_shows_and_the_page_names_it(spec: object, seed: int, held: bool) -> None:
    rng = random.Random(seed)
    before = Hand.deal(RuleSet.parse(spec), rng.randbytes(32))
    before.playout(seed)
    hand = Hand.deal(before.rules, rng.randbytes(32), held=held, after=before.aftermath, first_hand=False)
    texts = [hand.state_text()]
    while not hand.over:
        codes = hand.legal_codes()
        if codes:
            hand.advance(rng.choice(codes))
        else:
            hand.close_answers()
        texts.append(hand.state_text())
    assert len(set(texts)) == len(texts)
    section = PAGE.partition("## A hand's digest")[2].partition("## Commands")[0]
    names = {line.partition(":")[0] for text in texts for line in text.splitlines()[1:]}
    assert {name for name in names if f"`{name}`" not in section and not name[-1].isdigit()} == set()


def test_texts_of_equal_hands_are_equal() -> None:
    hand = Hand.deal(RuleSet.parse("qingdao"), bytes(32))
    assert hand.clone().state_text() == Hand.from_bytes(hand.to_bytes(), hand.rules).state_text() == hand.state_text()
