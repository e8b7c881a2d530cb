"""`gouji play` in a terminal, as a person uses it."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pexpect
import pytest

GOUJI = str(Path(sys.executable).with_name("gouji"))
PROMPT = "your play> "
AGAIN = re.escape("Another match? [y/N] ")
PLAIN = ["--rules", "revolution=off", "--rules", "burn=false"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home of its own, bots that do not pause, and a port at which no server answers."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return {
        **os.environ,
        "XDG_DATA_HOME": str(tmp_path),
        "TERM": "dumb",
        "GOUJI_PORT": str(port),
        "GOUJI_METRICS_PORT": "-1",
        "GOUJI_DOOR_PORT": "-1",
        "GOUJI_BOT_PACE_MS": "0",
        "GOUJI_ANSWERS_LEAST_MS": "50",
        "GOUJI_ANSWERS_MOST_MS": "100",
        "GOUJI_ALLOWANCE_MS": "0",
        "GOUJI_QUEUE_CYCLE_MS": "20",
    }


def _heed_interrupts() -> None:
    """Let Ctrl-C through as a terminal's own shell does, also where whoever runs the tests ignores or blocks it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


class Terminal:
    """A person at a terminal of 100 columns."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment
        self._running: list[pexpect.spawn[str]] = []

    def play(self, *arguments: str) -> "pexpect.spawn[str]":
        spawned = pexpect.spawn(
            GOUJI,
            ["play", "--name", "Lin", *arguments],
            env=self._environment,
            encoding="utf-8",
            timeout=60,
            dimensions=(50, 100),
            preexec_fn=_heed_interrupts,
        )
        self._running.append(spawned)
        return spawned

    def close(self) -> None:
        for spawned in self._running:
            spawned.close(force=True)


@pytest.fixture
def terminal(environment: dict[str, str]) -> Iterator[Terminal]:
    made = Terminal(environment)
    yield made
    made.close()


def hand_of(screen: str) -> str:
    return re.findall(r"your hand \(\d+\): .*", screen)[-1].strip()


def ends(game: "pexpect.spawn[str]") -> int:
    game.expect(pexpect.EOF)
    game.wait()
    return int(game.exitstatus or 0)


def test_a_hand_is_played_with_hints_to_its_end(terminal: Terminal) -> None:
    game = terminal.play()
    screen = ""
    for _ in range(400):
        met = game.expect([re.escape(PROMPT), r"Digest of the match: [0-9a-f]{64}"])
        screen += game.before
        if met == 1:
            break
        game.sendline("")
        game.expect(r"  1  \w+")
        game.expect(re.escape(PROMPT))
        game.sendline("1")
    game.expect("The record: gouji record ")
    game.expect(AGAIN)
    game.sendline("")
    assert ends(game) == 0
    for said in ("Table ", "Lin", "your hand (36): ", "Places: ", "Scores: ", "Total: "):
        assert said in screen


def test_another_match_is_played_with_the_same_bots(terminal: Terminal, environment: dict[str, str]) -> None:
    environment |= {"GOUJI_TURN_MS": "1", "GOUJI_BANK_MS": "0", "GOUJI_ABSENT_AFTER_EXPIRIES": "1"}
    game = terminal.play(*PLAIN)
    seated = []
    for answer in ("y", "YES", "no"):
        game.expect(r"Table (\w+): [^\r]*\r\n((?:  \d [^\r]*\r\n){6})")
        seated.append(game.match.groups())
        game.expect(AGAIN)
        game.sendline(answer)
    assert ends(game) == 0
    tables, people = zip(*seated, strict=True)
    assert (len(set(tables)), len(set(people))) == (3, 1)


def test_bad_input_is_explained_and_help_is_at_hand(terminal: Terminal) -> None:
    game = terminal.play(*PLAIN)
    game.expect(re.escape(PROMPT))
    bases = re.findall(r"(?<!×)\b[3-9TJQKA]", hand_of(game.before).partition(": ")[2])
    for typed, said in (
        ("banana", "'banana' is not a move"),
        ("w w w w w", "You do not hold all of these cards."),
        (f"{bases[0]} {bases[-1]}", "These cards are not one play"),
        ("nohead", "That belongs to another part of the hand."),
        ("?", "suggest plays"),
        ("hint", r"  1  p\w+"),
        ("advice", r"  1  \w+[^.]*\."),
    ):
        game.sendline(typed)
        game.expect(said)
        game.expect(re.escape(PROMPT))


def test_who_quits_comes_back_to_the_same_hand_with_the_same_command(
    terminal: Terminal, environment: dict[str, str]
) -> None:
    game = terminal.play(*PLAIN)
    game.expect(re.escape(PROMPT))
    table, held = re.findall(r"Table (\w+):", game.before)[0], hand_of(game.before)
    game.sendline("quit")
    game.expect(r"You left, and the table waits: `gouji play.*` brings you back to your seat\.")
    assert ends(game) == 0

    again = terminal.play(*PLAIN)
    again.expect(re.escape(PROMPT))
    assert f"Table {table}:" in again.before
    assert hand_of(again.before) == held
    again.sendintr()
    again.expect("brings you back")
    assert ends(again) == 0

    record = subprocess.run([GOUJI, "record", table], env=environment, capture_output=True, text=True, check=False)
    assert record.returncode == 0
    assert "This hand is still being played" in record.stdout
    assert "The match is not over." in record.stdout
    assert " holds " not in record.stdout


def test_the_end_of_input_is_a_way_to_leave(environment: dict[str, str]) -> None:
    played = subprocess.run(
        [GOUJI, "play", "--name", "Lin", *PLAIN],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (played.returncode, played.stderr) == (0, "")
    assert "You left, and the table waits" in played.stdout


def test_a_server_that_does_not_answer_is_named(terminal: Terminal) -> None:
    game = terminal.play("--address", "127.0.0.1:1")
    game.expect("Nothing answers at 127.0.0.1:1.")
    assert ends(game) == 1


def test_a_running_server_is_played_at(terminal: Terminal, environment: dict[str, str]) -> None:
    server = pexpect.spawn(GOUJI, ["up"], env=environment, encoding="utf-8", timeout=30)
    try:
        server.expect("Gouji is ready")
        game = terminal.play(*PLAIN)
        game.expect(re.escape(PROMPT))
        held = hand_of(game.before)
        game.sendline("quit")
        game.expect("You left, and the table plays on for you")
        assert ends(game) == 0
        again = terminal.play(*PLAIN)
        again.expect(re.escape(PROMPT))
        assert hand_of(again.before) == held
    finally:
        server.sendintr()
        assert ends(server) == 0


def test_the_clock_decides_for_who_does_not(terminal: Terminal, environment: dict[str, str]) -> None:
    environment |= {"GOUJI_TURN_MS": "500", "GOUJI_BANK_MS": "0"}
    game = terminal.play(*PLAIN)
    game.expect(re.escape(PROMPT))
    game.expect(r"you: .*\(time ran out\)")


def test_a_bot_plays_on_until_the_person_is_back_and_leaving_is_for_good(
    terminal: Terminal, environment: dict[str, str]
) -> None:
    environment |= {"GOUJI_TURN_MS": "400", "GOUJI_BANK_MS": "0", "GOUJI_BOT_PACE_MS": "300"}
    game = terminal.play(*PLAIN, "--hands", "3")
    game.expect("A bot plays on for you; `back` gives you your seat again.")
    game.sendline("back")
    game.expect("You play again.")
    game.sendline("leave")
    game.expect("Leaving is for good")
    game.sendline("leave")
    game.expect("You have left this match for good; a bot plays on for you.")
    assert ends(game) == 0
    again = terminal.play(*PLAIN)
    again.expect(re.escape(PROMPT))
    assert "Type ? for help." in again.before


def test_two_play_in_a_room_that_one_of_them_opens(environment: dict[str, str], tmp_path: Path) -> None:
    host, guest = Terminal(environment), Terminal(environment | {"XDG_DATA_HOME": str(tmp_path / "guest")})
    try:
        opening = host.play(*PLAIN, "--open-room", "2")
        opening.expect(r"gouji play (--address \S+ --room \S+)` brings")
        coming = guest.play(*opening.match.group(1).split())
        for each in opening, coming:
            each.expect_exact("Type ? for help.")
    finally:
        guest.close()
        host.close()


def test_nobody_comes_into_a_room_and_opens_one(terminal: Terminal) -> None:
    both = terminal.play("--room", "7K2QM-0XWB4", "--open-room", "2")
    both.expect("do not go together")


def test_a_code_that_no_room_has_is_told(terminal: Terminal) -> None:
    terminal.play("--room", "7K2QM-0XWB4").expect_exact("There is no such room.")
