"""A bot of somebody's own, from its credential to the end of a hand: the program that docs/bots.md shows."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import ModuleType

import pytest

from gouji.client import ClientError, Patience, Session
from gouji.gateway.service import bind
from gouji.serving.auth import Credential
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, running_app

from .test_tables import BINDS

PROGRAM = Path(__file__).parents[2] / "docs/examples/bot.py"
QUICK = Patience(first=0.01, most=0.05, total=5)


async def test_the_program_of_the_page_plays_a_hand_as_a_bot(
    sqlite_settings: Settings,
    load_script: Callable[[Path], ModuleType],
    capsys: pytest.CaptureFixture[str],
) -> None:
    hurry = {"bot_pace_ms": 0, "answers_least_ms": 5, "answers_most_ms": 10, "allowance_ms": 0, "queue_cycle_ms": 20}
    async with running_app(sqlite_settings.model_copy(update=hurry), BINDS) as app:
        until = app.clock.now() + timedelta(hours=1)
        credential = app.tokens.mint_credential(Credential("acme", 1, 1000, until))
        await load_script(PROGRAM).play(app.address, credential, "")
    assert len(capsys.readouterr().out.removeprefix("over:").split()) == 6


async def test_a_bot_renews_its_tokens_by_itself_and_hears_why_it_may_not_open(sqlite_settings: Settings) -> None:
    clock = ManualClock()
    async with running_app(sqlite_settings, {"gateway": bind}, clock=clock) as app:
        credential = app.tokens.mint_credential(Credential("acme", 1, 1000, clock.now() + timedelta(hours=3)))
        async with await Session.open_bot(app.address, credential, patience=QUICK) as session:
            await clock.advance(3600)
            assert (await session.who()).player_id == "bot:acme/1"
        with pytest.raises(ClientError, match="too_many_bots"):
            await Session.open_bot(app.address, credential, 2, patience=QUICK)
