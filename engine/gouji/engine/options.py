"""Every option of R1-R9, declared once: validation, documents, the `gouji rules` command and tests read these rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from gouji.engine.errors import BadValue

Value = bool | int | str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Its type is that of ``default``. ``choices`` lists the words that a str (or each of a tuple) may be; ``least`` and
    ``most`` bound an int. ``needs`` names an option without which it makes no sense. ``term`` is what players call
    it; ``en`` and ``zh`` say in one sentence what it does.
    """

    name: str
    clause: str
    default: Value
    term: str
    en: str
    zh: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    needs: str = ""

    def read(self, raw: object) -> Value:
        """Turn YAML, a settings string or a proto's text into a value. Raises `BadValue`."""
        if isinstance(self.default, bool):
            value: object = {"true": True, "yes": True, "false": False, "no": False}.get(str(raw).lower())
        elif isinstance(self.default, int):
            value = self._read_int(raw)
        elif isinstance(self.default, tuple):
            value = self._read_tuple(raw)
        else:
            value = self._read_word(raw)
        if value is None:
            raise BadValue(f"{self.name} ({self.clause}) takes {self.takes}, not {raw!r}")
        return value  # type: ignore[return-value]

    def _read_int(self, raw: object) -> int | None:
        try:
            number = int(str(raw))
        except ValueError:
            return None
        return number if self.least <= number <= self.most and not isinstance(raw, bool) else None

    def _read_word(self, raw: object) -> str | None:
        # YAML reads a bare `off` as false, and people write `true` for the usual value.
        word = {"true": self.default, "false": "off"}.get(str(raw).lower(), raw)
        return str(word) if word in self.choices else None

    def _read_tuple(self, raw: object) -> tuple[str, ...] | None:
        words = [word for word in raw.replace(",", " ").split() if word != "none"] if isinstance(raw, str) else raw
        if not isinstance(words, Iterable):
            return None
        kinds = tuple(str(word) for word in words)
        return kinds if set(kinds) <= set(self.choices) and len(set(kinds)) == len(kinds) else None

    @property
    def takes(self) -> str:
        """What may stand as its value, for people."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int):
            return f"a number from {self.least} to {self.most}"
        words = ", ".join(self.choices)
        return f"any of {words}, or none" if isinstance(self.default, tuple) else f"one of {words}"

    def show(self, value: Value) -> str:
        """Give a value as the text that `read` takes."""
        if isinstance(value, tuple):
            return " ".join(value) or "none"
        return str(value).lower() if isinstance(value, bool) else str(value)


_KINDS = ("point", "choke", "stuck", "burn", "last", "sweep")

_ROWS: Final = (
    # The deck and the match
    Option("teams", "R7.6", True, "聯邦", "Two teams of three; off is the free-for-all.",
           "三人一幫兩幫對打；關閉即六方混戰。"),
    Option("decks", "R1.2", 4, "副數", "Packs of 54 cards: four, or six with 54 cards a seat.",
           "用幾副牌：四副，或六副（每人五十四張）。", least=4, most=6),
    Option("threes", "R1.3", 0, "六3", "How many threes stay in the deck; 0 for all.",
           "牌中留幾張3；0為全留。", most=24),
    Option("fours", "R1.3", 0, "六4、八4", "How many fours stay in the deck; 0 for all.",
           "牌中留幾張4；0為全留。", most=24),
    Option("sweep_ends_match", "R3.1", False, "滿貫結束", "A sweep ends the match.", "串三戶即結束全場。"),
    Option("redeal_on_request", "R3.1", False, "重新抓牌",
           "In a match's first hand a seat dealt neither twos nor jokers may ask for a new deal.",
           "首局手中無錢無王者可要求重新洗牌抓牌。"),
    Option("min_high", "R3.1", 0, "大牌數", "Deal again until every seat holds that many cards of J or higher.",
           "重發至每家J以上的牌不少於此數。", most=20),
    Option("first_leader", "R3.2", "random", "上班", "Who leads a match's first hand.", "首局由誰先發牌。",
           ("random", "first_seated", "show_threes", "show_fours")),
    Option("later_leader", "R3.2", "rotate", "輪班", "Who leads later hands.", "以後各局由誰先發牌。",
           ("rotate", "head", "show_threes")),
    # Plays
    Option("twos_wild", "R2.3", "any", "貼錢", "What twos may be added to.", "錢可貼在哪些牌上。",
           ("any", "with_joker_only", "never")),
    Option("big_joker_duel", "R2.5", "none", "大王二殺一", "Two big jokers beat one.", "兩張大王可打一張大王。",
           ("none", "two_kills_one")),
    Option("joker_duel", "R2.6", "none", "劍刻", "Jokers fall to more jokers.", "多張小劍、大劍可殺一張劍。",
           ("none", "swords")),
    Option("single_two_is_gouji", "R2.7", True, "單錢夠級", "A lone two is a Gouji play.", "單張錢算夠級牌。"),
    Option("big_joker_is_gouji", "R2.7", True, "大王夠級", "A play with a big joker is a Gouji play.",
           "掛大王的牌算夠級牌。"),
    Option("open_cards", "R2.8", "pure", "開點牌", "What opens.", "什麼牌可以開點。",
           ("pure", "twos_substitute", "any_but_big_joker")),
    # Answers and burns
    Option("opposite_last_word", "R4.2", "always", "扣牌", "When the opposite has the last word.",
           "對頭何時有最後一次上牌或扣牌的權利。", ("always", "yielded")),
    Option("yield", "R4.3", False, "讓牌", "The opposite may let the seats after it answer first.",
           "對頭可先讓下兩家上牌。"),
    Option("burn", "R5", True, "燒牌", "Other seats may burn a Gouji play.", "別家可以燒夠級牌。"),
    Option("burn_guard", "R5.5", True, "燒得起", "A burn that cannot be carried out is refused.",
           "鬼不夠、燒不起的不准燒。", needs="burn"),
    Option("burn_team_mate", "R5.6", True, "燒聯邦", "A team-mate may be burned.", "可以燒自己的聯邦。", needs="burn"),
    Option("counter_burn", "R5.6", True, "反燒", "A burn may be burned.", "燒牌者可再被別家燒。", needs="burn"),
    Option("burn_needs_open", "R5.1", False, "開點才燒", "Only opened seats may burn.", "沒有開點的不准燒牌。",
           needs="opening"),
    Option("burn_order", "R5.2", "in_turn", "燒牌次序", "Who is asked to burn, and when.", "燒牌按什麼次序。",
           ("in_turn", "in_turn_team", "burn_first", "team_first"), needs="burn"),
    # The end and the scores
    Option("end_when", "R6.2", "one_team_left", "結束", "When a hand ends.", "一局何時結束。",
           ("one_team_left", "one_left")),
    Option("last_by", "R6.2", "cards", "定大落", "How the seats left are placed: by cards, or as their team says.",
           "剩下的人如何排大落：按張數，或自行商定。", ("cards", "choice")),
    Option("after_sweep", "R6.3", "tribute", "串後", "What follows a sweep: tribute, or a fresh start.",
           "串三戶之後進圈貢，還是重新開牌。", ("tribute", "fresh")),
    Option("scoring", "R7", "team_points", "計分", "How hands are scored.", "如何計分。",
           ("team_points", "individual", "tributes")),
    Option("negatives", "R7.1", "keep", "負分", "What becomes of a negative sum.", "負分記不記。", ("keep", "drop")),
    Option("across_doubles", "R7.4", False, "隔山二重分",
           "Points and tributes of head and last, or second and second-last, double when they sit two places apart.",
           "頭科與大落、二科與二落互為隔山時，分數與貢牌加倍。"),
    Option("grand_slam", "R7.5", "none", "滿貫", "What a sweep, or a hand played out in one go, is worth.",
           "滿貫如何計分。", ("none", "sweep_doubles", "korean")),
    # Tribute and buying
    Option("tribute_kinds", "R8.2", (), "貢", "Which tributes are owed.", "進哪些貢。", _KINDS),
    Option("tribute_order", "R8.2", ("point", "choke", "burn", "last", "stuck"), "進貢順序", "The order of settling.",
           "按什麼順序進貢。", _KINDS),
    Option("sweep_replaces_all", "R8.1", False, "圈免他貢", "A sweep's tribute replaces every other.",
           "圈貢免掉其他所有的貢。"),
    Option("no_tribute_card", "R8.3", "highest_for_point", "無貢牌",
           "What a payer without jokers and twos pays: nothing, its highest card, or that for point tributes alone.",
           "沒有王和錢的：免貢、進最大的牌，或只有點貢必須進。", ("exempt", "highest", "highest_for_point")),
    Option("return_tribute", "R8.4", True, "還貢", "The receiver gives as many cards back.", "吃貢者要還同樣張數。"),
    Option("may_refuse", "R8.4", True, "拒絕還貢", "The payer may refuse a card of a rank that it holds none of.",
           "還來的牌自己沒有同點的，可以拒收。", needs="return_tribute"),
    Option("return_point", "R8.4", False, "還點貢", "Point tributes are returned too.", "點貢也要還。",
           needs="return_tribute"),
    Option("may_decline_tribute", "R8.4", False, "不吃貢", "A receiver may let a tribute go.", "可以不吃貢。"),
    Option("team_tribute", "R8.5", "never", "聯邦進貢", "Tribute between team-mates.", "聯邦之間進不進貢。",
           ("never", "optional", "always")),
    Option("resist", "R8.6", False, "抗貢", "A seat dealt 8 twos or 4 big jokers pays nothing.",
           "抓到八個2或四個大王可以抗貢。"),
    Option("resist_covers", "R8.6", "team_all", "抗貢範圍", "Whom and what resisting covers.", "抗貢管到誰、管哪些貢。",
           ("team_all", "team_last", "last_only", "seat"), needs="resist"),
    Option("buy_from", "R8.7", "opposite_team", "買三", "Who sells a three when the opposite cannot.",
           "對頭沒有多餘的3時向誰買。", ("opposite_team", "downstream", "own_team"), needs="threes_last"),
    Option("buy_after_point", "R8.7", False, "先點後買", "Buying comes after the point tributes.", "進完點貢再買三。",
           needs="threes_last"),
    # Options of play
    Option("revolution", "R9.1", "any", "革命", "Who may leave a hand without jokers and twos.",
           "無王無錢者可否革命；或還須無3。", ("any", "threeless", "off")),
    Option("two_revolts", "R9.1", "void", "兩家革命", "What two revolts do.", "兩家革命：作廢重發，還是照打。",
           ("void", "allow")),
    Option("revolt_opens", "R9.3", "no", "革命開點", "Whether a revolter opens by a play that its opposite cannot beat.",
           "革命者亮一套牌，對頭打不過即開點；或一律不開。", ("no", "contest")),
    Option("opposite_opens", "R9.3", "three", "革命者對頭開點", "When a revolter's opposite opens.",
           "革命者的對頭何時算開點。", ("three", "three_open", "always")),
    Option("calls", "R9.5", False, "宣點", "Seats may call that their opposite will not open.",
           "可以宣布對頭不開點（明點、預點）。", needs="opening"),
    Option("backfire_doubles", "R9.5", False, "翻車加倍", "A wrong call pays double.", "宣點翻車加倍進貢。",
           needs="calls"),
    Option("opening", "R9.6", False, "開點", "Seats must open.", "要開點，不開點進點貢。"),
    Option("no_open_on_lead", "R9.6", False, "直勾不開點", "A lead does not open.", "一輪開頭直接發夠級牌不開點。",
           needs="opening"),
    Option("no_open_on_counter", "R9.6", False, "打點不開點", "Only a trick's first Gouji player opens.",
           "只有先發夠級牌的才能開點。", needs="opening"),
    Option("natural_open", "R9.6", False, "無級自開", "A seat dealt no opening play counts as opened.",
           "抓不到開點牌的算開點。", needs="opening"),
    Option("doubles_called", "R9.7", False, "明上", "A team may double its tributes before the deal.",
           "開牌前可以宣布貢牌翻番。"),
    Option("threes_last", "R9.8", False, "憋三、三一手", "All threes go together in the last play.",
           "3必須最後一手一起出。"),
    Option("first_choked_is_last", "R9.8", False, "先憋為落", "A choked seat leaves at once with the lowest place.",
           "先被憋的為大落。", needs="threes_last"),
    Option("no_sweep_when_choked", "R9.8", False, "有敬無圈", "A sweep over a choked seat does not count.",
           "有人被憋就不算圈。", needs="threes_last"),
    Option("fours_open", "R9.9", False, "開點發4", "All fours are led at once to open.", "贏了開點牌要立刻把4全發出才開點。",
           needs="opening"),
    Option("sink_fours", "R9.9", False, "沉4", "Fours may be laid aside before the first lead.", "開牌前可把4扣下。",
           needs="fours_open"),
    Option("lay_off", "R9.10", False, "燴牌", "The first leader may have all threes or fours laid off.",
           "首發牌人可決定燴三、燴四。"),
    Option("report_at", "R9.11", 10, "報牌", "Up to how many cards a count is shown.", "剩幾張起報牌。", most=54),
    Option("report", "R9.11", "auto", "報牌方式", "Whether counts are shown to all or to who asks.",
           "自動報牌，還是有問才報。", ("auto", "on_request")),
    Option("feel", "R9.11", 0, "摸班", "How often a hand a seat may feel its opposite's cards.",
           "每局可以摸班幾次。", most=9),
    Option("coach", "R9.12", False, "挑牌", "Finished seats, and mates of a seat with few cards, may see its hand.",
           "走了科的可看聯邦的牌；剩牌少的聯邦可看。"),
    Option("fault_costs_turn", "R9.13", False, "錯牌不出", "An unlawful play counts as a pass.", "出錯牌算過牌。"),
    Option("no_bare_joker_lead", "R9.14", False, "鬼不領3", "Jokers are not led before threes alone.",
           "只剩王和3時不能先發王。", needs="threes_last"),
)  # fmt: skip

OPTIONS: Final[dict[str, Option]] = {option.name: option for option in _ROWS}
"""Every option by name, in the order of the rules page."""

EXCLUDES: Final = (
    ("no_open_on_lead", "no_open_on_counter", "R9.6", "nothing would open"),
    ("lay_off", "threes_last", "R9.10", "threes are needed for the last play"),
    ("lay_off", "fours_open", "R9.10", "fours are needed to open"),
)
"""Two options, clause, and why they make no sense together."""
