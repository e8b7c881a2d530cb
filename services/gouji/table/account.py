"""What the ledger keeps of a finished hand beside places and points. Pure; numbers of cards, never which."""

from dataclasses import dataclass, field

from gouji.engine import ActionKind, Hand
from gouji.engine.events import (
    BurnSucceeded,
    CardBought,
    Consequence,
    TributePaid,
    TributeResisted,
    TributeReturned,
    TributeShown,
)
from gouji.engine.history import Step
from gouji.engine.tribute import is_sweep
from gouji.v1 import scoring_pb2


def account(hand: Hand) -> scoring_pb2.HandResult:
    """Give a result that holds these fields alone; the hand is over, counts, and has kept its steps."""
    told = _Account()
    for step in hand.steps or ():
        told.take(step)
    after = hand.aftermath
    return scoring_pb2.HandResult(
        opened=hand.opened,
        burns=told.burns,
        tributes=told.tributes,
        purchases=told.purchases,
        sweep=after is not None and is_sweep(hand.rules, after),
        revolted=hand.revolted,
    )


@dataclass(slots=True)
class _Account:
    """A hand's account so far; ``last`` is the seat whose play is to be beaten."""

    burns: list[scoring_pb2.BurnTried] = field(default_factory=list)
    tributes: list[scoring_pb2.TributeSettled] = field(default_factory=list)
    purchases: list[scoring_pb2.Purchase] = field(default_factory=list)
    last: int = 0

    def take(self, step: Step) -> None:
        """Go on by one step."""
        action = step.action
        if action is not None and action.kind is ActionKind.BURN:
            self.burns.append(scoring_pb2.BurnTried(burner=action.seat, burned=self.last))
        if action is not None and action.kind in (ActionKind.PLAY, ActionKind.BURN):
            self.last = action.seat
        for consequence in step.consequences:
            self._follow(consequence)

    def _follow(self, consequence: Consequence) -> None:
        match consequence:
            case BurnSucceeded(burner, burned):
                next(b for b in reversed(self.burns) if (b.burner, b.burned) == (burner, burned)).won = True
            case TributePaid(payer, receiver, cards):
                self._settle(payer, receiver, paid=len(cards))
            case TributeReturned(receiver, payer, _, count):
                self._paid_last(payer, receiver).returned = count
            case TributeResisted(payer, receiver):
                self._settle(payer, receiver, resisted=True)
            case TributeShown(payer, receiver):
                self._settle(payer, receiver, shown=True)
            case CardBought(buyer, seller, sold, paid):
                bought = scoring_pb2.Purchase(buyer=buyer, seller=seller, sold=len(sold), paid=len(paid))
                self.purchases.append(bought)

    def _settle(self, payer: int, receiver: int, paid: int = 0, *, resisted: bool = False, shown: bool = False) -> None:
        settled = scoring_pb2.TributeSettled(payer=payer, receiver=receiver, paid=paid, resisted=resisted, shown=shown)
        # Cards of two ranks that are shown for one tribute are told one rank after the other.
        if not (shown and self.tributes and self.tributes[-1] == settled):
            self.tributes.append(settled)

    def _paid_last(self, payer: int, receiver: int) -> scoring_pb2.TributeSettled:
        return next(t for t in reversed(self.tributes) if (t.payer, t.receiver) == (payer, receiver) and t.paid)
