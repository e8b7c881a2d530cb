"""Why the planner would do something: a key, and a sentence for the person whose turn it is, in two languages."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple


class Why(StrEnum):
    """The reason that weighs most; `SENTENCES` says each in words."""

    FORCED = "forced"
    GOES_OUT = "goes_out"
    BURNS_THROUGH = "burns_through"
    OPENS = "opens"
    JOKER_TAKES_ALONG = "joker_takes_along"
    KEEPS_LEAD = "keeps_lead"
    SHUTS_OUT = "shuts_out"
    SHEDS = "sheds"
    STOPS_OPPONENT = "stops_opponent"
    KEEPS_WIND = "keeps_wind"
    WINS_LEAD = "wins_lead"
    SHEDS_AS_ANSWER = "sheds_as_answer"
    NOTHING_BEATS = "nothing_beats"
    SPARES_MATE = "spares_mate"
    WIND_COMES = "wind_comes"
    GIVES_WIND = "gives_wind"
    NO_BURN = "no_burn"
    SAVES = "saves"
    LAST_WORD = "last_word"
    GIVES_BACK_WORST = "gives_back_worst"
    REFUSES_LOW = "refuses_low"
    HOPELESS = "hopeless"
    STAYS = "stays"
    KEEPS_HEAD = "keeps_head"
    NO_HEAD = "no_head"
    LAYS_OFF = "lays_off"
    KEEPS_RANKS = "keeps_ranks"
    SINKS = "sinks"
    KEEPS_FOURS = "keeps_fours"
    TAKES = "takes"
    NEW_DEAL = "new_deal"
    CAUTION = "caution"


class Sentence(NamedTuple):
    """One sentence, in English and in Chinese."""

    english: str
    chinese: str


SENTENCES: Final[Mapping[Why, Sentence]] = {
    Why.FORCED: Sentence("There is nothing else to do.", "只能这样。"),
    Why.GOES_OUT: Sentence("These are your last cards: you go out.", "出完这手就走了。"),
    Why.BURNS_THROUGH: Sentence(
        "The burn can be carried through: every play after it has its joker.", "烧得下去：后面每手都有王可挂。"
    ),
    Why.OPENS: Sentence("It opens, if it wins the lead.", "赢下这轮就开点。"),
    Why.JOKER_TAKES_ALONG: Sentence("The joker takes low cards along, and keeps the lead.", "王带走小牌，还留住牌权。"),
    Why.KEEPS_LEAD: Sentence("Hardly anybody can beat this: you keep the lead.", "几乎没人管得上，牌权还在手里。"),
    Why.SHUTS_OUT: Sentence(
        "An opponent is nearly out and cannot answer so many cards.", "对手快走了，张数多他接不上。"
    ),
    Why.SHEDS: Sentence("These cards win least, and have to go some time.", "这手最弱，早晚要出。"),
    Why.STOPS_OPPONENT: Sentence(
        "An opponent is nearly out and must not get the lead.", "对手快走了，不能让他拿牌权。"
    ),
    Why.KEEPS_WIND: Sentence("Unbeaten it would give the lead to an opponent.", "没人压的话，对手就接风了。"),
    Why.WINS_LEAD: Sentence("Hardly anybody can beat this: the lead is yours.", "几乎没人管得上，能拿到牌权。"),
    Why.SHEDS_AS_ANSWER: Sentence(
        "These cards go now without a lead of their own, and no better group is broken.",
        "顺手走掉，不用另找牌权，也不拆好牌。",
    ),
    Why.NOTHING_BEATS: Sentence("You hold nothing that beats this.", "手里没有管得上的牌。"),
    Why.SPARES_MATE: Sentence("A team-mate has the trick: let it.", "联邦的牌，让他。"),
    Why.WIND_COMES: Sentence("The lead comes to you by itself.", "不用压，风自己接过来。"),
    Why.GIVES_WIND: Sentence("A team-mate catches the wind.", "让联邦接风。"),
    Why.NO_BURN: Sentence("A burn would cost more than it brings.", "烧不划算。"),
    Why.SAVES: Sentence("To beat this would cost cards that win more later.", "现在压太亏，好牌留着后面用。"),
    Why.LAST_WORD: Sentence(
        "Who yields keeps the last word: others may stop it for less.", "让一下，扣牌权还在，别人也许先管。"
    ),
    Why.GIVES_BACK_WORST: Sentence("Without these the hand has the least left to play out.", "还掉这些，手牌最顺。"),
    Why.REFUSES_LOW: Sentence(
        "It would be one play more; what comes instead joins what you hold.", "要了多一手，换来的能并进手里。"
    ),
    Why.HOPELESS: Sentence(
        "The hand has hardly a play that wins; a revolter is fourth.", "这手没有大牌，革命还能保四科。"
    ),
    Why.STAYS: Sentence("The hand has groups enough that win.", "大牌够多，值得打。"),
    Why.KEEPS_HEAD: Sentence(
        "You have three Gouji plays for it, and nobody may answer them.", "够级牌够三手，别人还不能管。"
    ),
    Why.NO_HEAD: Sentence("You have no three Gouji plays for it.", "够级牌不够三手，要头没用。"),
    Why.LAYS_OFF: Sentence("You hold more of these than your share.", "这些牌你比别人多。"),
    Why.KEEPS_RANKS: Sentence("The others would be rid of more than you.", "烩了别人更占便宜。"),
    Why.SINKS: Sentence("You hold nothing to open with, and the fours are rid of.", "没有开点牌，四不如沉掉。"),
    Why.KEEPS_FOURS: Sentence("The fours are for opening.", "留着四开点。"),
    Why.TAKES: Sentence("What comes is better than what it costs.", "拿到的比付出的好。"),
    Why.NEW_DEAL: Sentence("The hand is below the average, and a new deal costs nothing.", "牌太差，重发不亏。"),
    Why.CAUTION: Sentence("It would cost more when it fails than it brings.", "不成的话亏得更多。"),
}
"""Each reason in words."""
