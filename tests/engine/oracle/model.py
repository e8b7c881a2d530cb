"""A hand of Gouji in plain Python: set up, asked, judged and played by the clauses, with no regard for speed."""

from collections.abc import Iterable, Iterator, Sequence

from gouji.engine import Action, ActionKind, Reason, RuleSet
from gouji.engine.cards import opposite

from . import asking, endings, results
from .burning import carried_out, lacks_joker, lawful_leads, splits_threes
from .plays import beats, count_fits, is_gouji, is_opening, is_play, jokers_of, less, plays_in
from .state import SEATS, Burn, Question, Table, Trick, after

OF_PLAY = {ActionKind.PLAY, ActionKind.BURN, ActionKind.PASS, ActionKind.YIELD, ActionKind.CLOSE}
OF_REVOLT = {ActionKind.REVOLT, ActionKind.STAY, ActionKind.KEEP_HEAD, ActionKind.NO_HEAD}
ANSWERS = {
    "revolt": (ActionKind.REVOLT, ActionKind.STAY),
    "head": (ActionKind.KEEP_HEAD, ActionKind.NO_HEAD),
    "contest": (ActionKind.PASS, ActionKind.PLAY),
}


class Model:
    """One hand."""

    def __init__(self, table: Table) -> None:
        self.table = table

    @classmethod
    def position(
        cls,
        rules: RuleSet,
        hands: Sequence[str],
        lead: int,
        *,
        finished: Sequence[int] = (),
        opened: Iterable[int] = (),
        burning: Iterable[int] = (),
        revolted: Sequence[int] = (),
        phase: str = "play",
        dealt: bool = False,
    ) -> "Model":
        """Set up as `gouji.engine.Hand.position` does; ``dealt`` says that the hands come from the deal."""
        table = Table(rules, list(hands), lead, opened=set(opened))
        table.burning = {seat: Burn() for seat in burning}
        table.trick = Trick(lead)
        for seat in revolted:
            endings.revolt(table, seat)
        for seat in finished:
            endings.finish(table, seat)
        for seat in SEATS:
            if table.is_in(seat) and not hands[seat]:
                endings.leave(table, seat)
        if dealt and rules["natural_open"]:
            dealt_none = [seat for seat in SEATS if not any(is_opening(rules, c) for c in plays_in(rules, hands[seat]))]
            table.opened |= set(dealt_none)
        model = cls(table)
        model._begin(phase)
        return model

    def _begin(self, phase: str) -> None:
        table = self.table
        if phase == "revolt" and table.rules["revolution"] != "off":
            table.phase = "revolt"
            order = [table.leader, *after(table.leader)]
            barred = set("2wW3" if table.rules["revolution"] == "threeless" else "2wW")
            may = [seat for seat in order if table.is_in(seat) and not set(table.hands[seat]) & barred]
            table.asking = [Question(seat, "revolt") for seat in may]
        self._end_revolts()

    # What everybody can see

    @property
    def question(self) -> Question | None:
        table = self.table
        if table.over:
            return None
        if table.phase == "revolt":
            return table.asking[0]
        if not table.trick.cards:
            return Question(table.trick.leader, "lead")
        return asking.question(table)

    @property
    def turn(self) -> int | None:
        asked = self.question
        return None if asked is None else asked.seat

    @property
    def lead(self) -> int | None:
        asked = self.question
        return asked.seat if asked is not None and asked.kind == "lead" else None

    @property
    def order(self) -> tuple[int, ...]:
        return endings.order_of(self.table)

    @property
    def scores(self) -> tuple[int, ...]:
        return results.scores(endings.outcome(self.table)) if self.order else (0,) * 6

    @property
    def team_scores(self) -> tuple[int, int] | None:
        if not self.order:
            return (0, 0) if self.table.rules["teams"] else None
        return results.team_scores(endings.outcome(self.table))

    @property
    def owes(self) -> list[results.Owed]:
        return results.owed(endings.outcome(self.table)) if self.order else []

    # What may be done

    def legal(self) -> set[Action]:
        """All lawful actions. Closing is the last word declined, as passing is, so it is left out."""
        asked = self.question
        if asked is None:
            return set()
        wordless = (ActionKind.PASS, ActionKind.YIELD, *OF_REVOLT)
        actions = [Action(asked.seat, kind) for kind in wordless]
        for cards in plays_in(self.table.rules, self.table.hands[asked.seat]):
            with_cards = (ActionKind.PLAY, ActionKind.BURN, ActionKind.REVOLT)
            actions += [Action(asked.seat, kind, cards) for kind in with_cards]
        return {action for action in actions if self._judge(asked, action) is None}

    def judge(self, action: Action) -> Reason | None:
        """Why an action is refused: the first by docs/cases.md of what speaks against it; None if lawful."""
        asked = self.question
        return Reason.HAND_OVER if asked is None else self._judge(asked, action)

    def _judge(self, asked: Question, action: Action) -> Reason | None:
        of_phase = OF_REVOLT if self.table.phase == "revolt" else OF_PLAY
        if action.kind not in of_phase and not (asked.kind == "contest" and action.kind in ANSWERS["contest"]):
            return Reason.WRONG_PHASE
        if action.seat != asked.seat:
            return Reason.NOT_YOUR_TURN
        if action.kind in (ActionKind.PLAY, ActionKind.BURN):
            return next(self._against_cards(asked, action.kind is ActionKind.BURN, action.cards), None)
        if action.kind is ActionKind.REVOLT and asked.kind == "revolt" and action.cards:
            return next(self._against_shown(asked.seat, action.cards), None)
        return next(self._against_word(asked, action.kind), None)

    def _against_shown(self, seat: int, cards: str) -> Iterator[Reason]:
        """R9.3, `contest`: what a revolter shows is an opening play of its own."""
        rules = self.table.rules
        if not rules["opening"] or rules["revolt_opens"] != "contest":
            yield Reason.WRONG_PHASE
        if less(self.table.hands[seat], cards) is None:
            yield Reason.CARDS_NOT_HELD
        if not is_play(rules, cards) or not is_opening(rules, cards):
            yield Reason.NOT_ONE_BASE

    def _against_word(self, asked: Question, word: ActionKind) -> Iterator[Reason]:
        if asked.kind in ANSWERS:
            if word not in ANSWERS[asked.kind]:
                yield Reason.WRONG_PHASE
            return
        if asked.kind == "lead":
            yield Reason.MUST_LEAD
        if word is ActionKind.YIELD and not asking.may_yield(self.table, asked):
            yield Reason.YIELD_NOT_ALLOWED
        if word is ActionKind.CLOSE and asked.kind != "last_word":
            yield Reason.WRONG_PHASE

    def _against_cards(self, asked: Question, burn: bool, cards: str) -> Iterator[Reason]:
        table, seat = self.table, asked.seat
        rules, under, hand = table.rules, table.trick.cards, table.hands[asked.seat]
        if less(hand, cards) is None:
            yield Reason.CARDS_NOT_HELD
        if not is_play(rules, cards):
            yield Reason.NOT_ONE_BASE
        if under and not count_fits(rules, len(cards), under):
            yield Reason.WRONG_COUNT
        if asked.kind == "burn" and not burn:
            yield Reason.ONLY_OPPOSITE
        if under and not beats(rules, cards, under):
            yield Reason.DOES_NOT_BEAT
        if lacks_joker(table, seat, cards):
            yield Reason.BURN_NEEDS_JOKER
        if burn and (asked.kind != "burn" or not carried_out(rules, hand, cards)):
            yield Reason.BURN_NOT_ALLOWED
        if splits_threes(rules, hand, cards):
            yield Reason.THREES_WHOLE if set(hand) == {"3"} else Reason.THREES_LAST

    # What follows

    def apply(self, action: Action) -> None:
        """Do an action that `judge` finds lawful."""
        asked = self.question
        assert asked is not None
        assert self.judge(action) is None
        if asked.kind == "contest":
            self._answer_contest(asked.seat, action.cards)
        elif asked.kind in ANSWERS:
            self._answer_revolt(asked, action)
        elif action.kind in (ActionKind.PLAY, ActionKind.BURN):
            self._play(asked, action.kind is ActionKind.BURN, action.cards)
        elif action.kind is ActionKind.YIELD:
            asking.yielded(self.table, asked)
        else:
            if asked.kind != "burn":
                self.table.trick.passed.add(asked.seat)
            asking.answered(self.table, asked)
            self._end_trick_if_answered()

    def _answer_revolt(self, asked: Question, action: Action) -> None:
        """R9.1, R9.2."""
        table, answer = self.table, action.kind
        table.asking.pop(0)
        if answer is ActionKind.KEEP_HEAD:
            table.heads_kept[asked.seat] = 3
            table.dead_won[asked.seat] = 0
        if answer is ActionKind.REVOLT:
            endings.revolt(table, asked.seat)
            if len(table.revolted) == 2:
                table.phase, table.over, table.void = "over", True, True
                return
            table.asking.append(Question(opposite(asked.seat), "head"))
            self._revolter_opens(asked.seat, action.cards)
        self._end_revolts()

    def _revolter_opens(self, seat: int, shown: str) -> None:
        """R9.1, R9.3."""
        table, across = self.table, opposite(seat)
        if table.rules["opening"] and table.rules["revolution"] == "threeless":
            table.opened.add(seat)
        if table.rules["opening"] and table.rules["opposite_opens"] == "always" and table.is_in(across):
            table.opened.add(across)
        if shown and table.is_in(across):
            table.trick = Trick(table.leader, shown, seat)
            table.asking.insert(0, Question(across, "contest"))
        elif shown:
            table.opened.add(seat)

    def _answer_contest(self, seat: int, cards: str) -> None:
        """R9.3: the revolter opens unless its opposite beats what it shows; cards that do are spent."""
        table = self.table
        revolter, table.trick = table.trick.by, Trick(table.leader)
        assert revolter is not None
        table.asking.pop(0)
        left = less(table.hands[seat], cards)
        assert left is not None
        table.hands[seat] = left
        if not cards:
            table.opened.add(revolter)
        if not left:
            endings.finish(table, seat)
            table.asking = [asked for asked in table.asking if asked.seat != seat]
        self._end_revolts()

    def _end_revolts(self) -> None:
        table = self.table
        # A revolter's opposite is asked after all that may revolt.
        table.asking.sort(key=lambda asked: asked.kind == "head")
        if table.asking:
            return
        table.phase = "play"
        leader = table.leader if table.is_in(table.leader) else table.next_in(table.leader)
        if not endings.end_if_over(table, leader):
            self._begin_trick(leader, won_with="")

    def _play(self, asked: Question, burn: bool, cards: str) -> None:
        table, seat, before = self.table, asked.seat, self.table.trick
        beaten = before.by
        if before.yielder not in (None, seat):
            before.passed.add(before.yielder)
        if burn:
            table.burning[seat] = Burn(beaten, before.doublings + 1 if before.burning else 0)
        if beaten is not None:
            table.burning.pop(beaten, None)
        table.trick = table.last_play = self._put_down(asked, cards)
        left = less(table.hands[seat], cards)
        assert left is not None
        table.hands[seat] = left
        if not left:
            endings.finish(table, seat)
        # A burn is done when its player is out: what was its last play is asked about as any other.
        table.trick.burning = seat in table.burning
        if beaten is not None:
            self._choke(beaten, seat)
        if not endings.end_if_over(table, before.leader):
            table.trick.asking = asking.asked_about_play(table, only=beaten if before.yielder == seat else None)
            self._end_trick_if_answered()

    def _put_down(self, asked: Question, cards: str) -> Trick:
        """Say what the play is to the trick."""
        table, seat, before = self.table, asked.seat, self.table.trick
        gouji = not table.scramble and is_gouji(table.rules, cards)
        # R4.6: what answers the last cards of head or second for their opposite.
        dead = asked.kind in ("gouji", "last_word") and before.gouji and before.by in table.finished
        if gouji and table.heads_kept.get(seat):
            table.heads_kept[seat] -= 1
            dead = True
        return Trick(
            before.leader,
            cards,
            seat,
            gouji=gouji,
            dead=dead,
            doublings=table.burning[seat].doublings if seat in table.burning else 0,
            is_lead=before.by is None,
            after_yield=before.yielder == seat,
            passed=before.passed,
            passed_before=set(before.passed),
            first_gouji=seat if before.first_gouji is None and gouji else before.first_gouji,
        )

    def _choke(self, beaten: int, by: int) -> None:
        """R9.8: the beaten play would have left its player with threes alone."""
        table = self.table
        if not table.rules["threes_last"] or set(table.hands[beaten]) != {"3"} or not table.is_in(beaten):
            return
        table.choked.append((beaten, by))
        if table.rules["first_choked_is_last"]:
            endings.leave(table, beaten)

    def _end_trick_if_answered(self) -> None:
        table = self.table
        trick = table.trick
        if asking.question(table) is not None:
            return
        assert trick.by is not None
        self._open(trick.by)
        if table.is_in(trick.by):
            self._begin_trick(trick.by, won_with=trick.cards)
        else:
            self._begin_trick(table.next_in(trick.by), won_with="")

    def _open(self, winner: int) -> None:
        """R9.6, R9.3."""
        table, rules = self.table, self.table.rules
        trick = table.trick
        if not rules["opening"] or table.scramble:
            return
        if winner in table.dead_won:
            opens = table.rules["opposite_opens"] == "three" or is_opening(rules, trick.cards)
            table.dead_won[winner] += trick.dead and opens
            if table.dead_won[winner] == 3 and len(table.finished) < 2:
                table.opened.add(winner)
            return
        if not table.is_in(winner) or not table.has_head(winner) or not is_opening(rules, trick.cards):
            return
        if rules["no_open_on_lead"] and trick.is_lead:
            return
        if rules["no_open_on_counter"] and trick.first_gouji != winner:
            return
        table.opened.add(winner)

    def _begin_trick(self, leader: int, *, won_with: str) -> None:
        """R4.8, R5.5, R9.8."""
        table = self.table
        if len(table.seats_in()) <= 4:
            table.scramble = True
            table.burning.clear()
        if leader in table.burning and not lawful_leads(table, leader):
            self._strike(leader)
            return
        table.trick = Trick(leader)
        ranks = set(table.hands[leader])
        bare = "3" in ranks and ranks != {"3"} and ranks <= set("3wW")
        if table.rules["threes_last"] and bare and not jokers_of(won_with) and leader not in table.stuck:
            table.stuck.append(leader)

    def _strike(self, seat: int) -> None:
        """R5.5."""
        table = self.table
        burned, last_leader = table.burning[seat].burned, table.trick.leader
        endings.leave(table, seat)
        table.struck.append(seat)
        if endings.end_if_over(table, last_leader):
            return
        follows = seat if burned is None else burned
        self._begin_trick(follows if table.is_in(follows) else table.next_in(follows), won_with="")
