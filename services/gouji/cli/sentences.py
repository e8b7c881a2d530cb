"""Why something was refused, in a sentence for the person at the terminal."""

from typing import Final

from gouji.client import ClientError

SENTENCES: Final = {
    "not_your_turn": "It is another seat's turn.",
    "cards_not_held": "You do not hold all of these cards.",
    "not_one_base": "These cards are not one play: cards of one rank, with twos and jokers added (挂).",
    "wrong_count": "A play is answered with just as many cards.",
    "only_opposite": "Only its opposite (对头) may answer a Gouji play (够级); you may burn: `burn CARDS`.",
    "does_not_beat": "That does not beat the table: card by card, each of yours must be higher.",
    "must_lead": "You have the lead and cannot pass: play any cards of one rank.",
    "burn_needs_joker": "You are burning (烧牌): every play needs a joker, but for your last.",
    "burn_not_allowed": "You may not burn now, or could not carry the burn through.",
    "threes_last": "Threes are played last of all (憋三), with nothing added.",
    "threes_whole": "All threes go together.",
    "fours_due": "You must lead all your fours now to open (开点).",
    "yield_not_allowed": "Yielding (让牌) is for your opposite's play, with a seat left that can answer.",
    "not_highest_tribute": "Tribute (进贡) is paid with your highest cards.",
    "holds_that_rank": "You hold that rank and cannot refuse it.",
    "call_not_allowed": "That call (宣点) is not open to you now.",
    "wrong_phase": "That belongs to another part of the hand.",
    "hand_over": "The hand is over.",
    "unknown_action": "There is no such action.",
    "stale_turn": "The table went on meanwhile; look at what there is now.",
    "command_id_reused": "That command was sent before with another content; try again.",
    "unknown_table": "There is no such table.",
    "table_over": "The match is over.",
    "not_seated": "You do not sit at this table.",
    "wrong_server": "Another server has this table now; try again.",
    "table_frozen": "The table stopped because of a fault of the server's; its operator can see why.",
    "resume_from": "The connection fell behind; try again.",
    "draining": "The server is shutting down; try again in a moment.",
    "table_moving": "The table is moving to another server; try again in a moment.",
    "not_collecting": "This deal takes no contribution of yours now; the default counts.",
    "contribution_given": "Your seat gave another contribution to this deal; the first stands.",
    "not_frozen": "The table does not stand still.",
    "seat_left": "You have left this match for good; a bot plays on.",
    "too_often": "That was enough for now; wait a little.",
    "other_device": "You play on from another device; start the command again to play from here.",
    "match_not_over": "The match is not over.",
    "no_rematch": "There is no rematch of this match.",
    "malformed": "The server could not read the request.",
    "unknown_rule_option": "There is no rule of that name; `gouji rules` lists them.",
    "bad_rule_value": "A rule does not take that value.",
    "rules_conflict": "These rules make no sense together.",
    "unknown_bot_level": "There is no bot of that level.",
    "token_missing": "The server does not know who you are.",
    "token_invalid": "The server does not know you any more; delete the session file to start anew.",
    "token_expired": "Your session has run out; start the command again.",
    "forbidden": "You may not do that.",
    "client_too_old": "This program is too old for the server.",
    "unknown_ticket": "You are not in the queue.",
    "already_seated": "You sit at a table already.",
    "ticket_claimed": "Your table is ready: the queue cannot be left any more.",
    "unknown_queue": "There is no such queue.",
    "unknown_player": "There is no such player.",
    "unknown_match": "There is no such match.",
    "result_conflict": "Another result of this hand is recorded already.",
    "overloaded": "The server is busy; try again in a moment.",
    "storage_unavailable": "The server's database does not answer; try again in a moment.",
    "internal": "Something went wrong in the server.",
    "deadline": "That took too long; try again.",
    "no_party": "You are in no party.",
    "no_room": "You are in no room.",
    "in_party": "You are in another party; leave it first.",
    "in_room": "You are in another room; leave it first.",
    "not_leader": "Only the leader of the party can do that.",
    "not_host": "Only the host of the room can do that.",
    "party_full": "The party is full.",
    "room_full": "The room is full.",
    "no_invitation": "You are not invited, or not any more.",
    "not_welcome": "You cannot meet here.",
    "unknown_room": "There is no such room.",
    "seat_taken": "Somebody sits there.",
    "seats_empty": "Seats are empty, and no bot may take them.",
    "room_changed": "The room went on meanwhile; look at what there is now.",
}
"""A sentence for every reason of `reasons.proto`."""

_ABOUT_RULES: Final = frozenset({"unknown_rule_option", "bad_rule_value", "rules_conflict"})


def sentence(error: ClientError) -> str:
    """Say why a call failed; of rules, also what the server said of them."""
    said = SENTENCES.get(error.reason)
    if said is None:
        return f"The server cannot be reached ({error.message})."
    return f"{said} {error.message}" if error.reason in _ABOUT_RULES else said
