"""When a command has been shown to all who are there."""

import pytest

from gouji.load.book import Book
from gouji.v1.events_pb2 import ActionTaken, Event


@pytest.fixture
def shown() -> list[tuple[float, float]]:
    return []


@pytest.fixture
def book(shown: list[tuple[float, float]]) -> Book:
    made = Book(lambda due, seen: shown.append((due, seen)))
    for seat in range(6):
        made.come(seat)
    return made


def acted(sequence: int, seat: int = 0) -> Event:
    return Event(sequence=sequence, action_taken=ActionTaken(seat=seat))


def test_a_command_is_shown_when_the_last_seat_has_its_event(book: Book, shown: list[tuple[float, float]]) -> None:
    for seat in range(5):
        assert list(book.event(seat, acted(1), 10.0 + seat)) == []
    assert list(book.command(0, 1, due=9.0)) == []
    assert shown == []
    assert list(book.event(5, acted(1), 17.0)) == []
    assert shown == [(9.0, 17.0)]


def test_the_answer_may_come_last(book: Book, shown: list[tuple[float, float]]) -> None:
    for seat in range(6):
        assert list(book.event(seat, acted(1), 10.0 + seat)) == []
    assert list(book.command(0, 1, due=9.0)) == []
    assert shown == [(9.0, 15.0)]


def test_who_left_on_purpose_is_not_waited_for(book: Book, shown: list[tuple[float, float]]) -> None:
    assert list(book.command(0, 1, due=9.0)) == []
    for seat in range(5):
        assert list(book.event(seat, acted(1), 10.0)) == []
    assert book.unshown(before=20.0) == 1
    book.gone(5)
    assert shown == [(9.0, 10.0)]
    assert book.unshown(before=20.0) == 0


def test_who_comes_back_behind_the_event_has_seen_it(book: Book, shown: list[tuple[float, float]]) -> None:
    assert list(book.command(0, 1, due=9.0)) == []
    for seat in range(5):
        assert list(book.event(seat, acted(1), 10.0)) == []
    book.skipped(5, 8, 12.0)
    assert shown == [(9.0, 12.0)]


@pytest.mark.parametrize("first", ["answer", "event"])
def test_an_event_of_another_seat_under_the_answers_number_is_found(book: Book, first: str) -> None:
    steps = [lambda: book.command(0, 1, due=9.0), lambda: book.event(3, acted(1, seat=4), 10.0)]
    told = [problem for step in (steps if first == "answer" else steps[::-1]) for problem in step()]
    assert told == ["event 1 shows no act of seat 0, to whom it was acknowledged"]


def test_what_is_long_past_is_forgotten(book: Book) -> None:
    for sequence in range(1, 2000):
        assert list(book.event(0, acted(sequence), 1.0)) == []
    assert len(book._seen) < 300
    assert len(book._events) < 300
