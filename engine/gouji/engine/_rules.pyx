# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""R10: a rule set's options as the C struct that the compiled rules read."""

import hashlib

from gouji.engine._state cimport Rules

from gouji.engine.rules import RULES_VERSION


cdef class CompiledRules:
    """A rule set's options as the C struct; made once a rule set and kept with it."""


cdef CompiledRules compiled(object rules):
    made = rules.__dict__.get("_compiled")
    if made is None:
        made = compile_rules(rules)
        rules.__dict__["_compiled"] = made
    return <CompiledRules>made


cdef CompiledRules compile_rules(object rules):
    cdef CompiledRules made = CompiledRules.__new__(CompiledRules)
    cdef Rules* c = &made.c
    value = rules.values
    c.teams = value["teams"]
    c.twos_wild = ("any", "with_joker_only", "never").index(value["twos_wild"])
    c.two_kills_one = value["big_joker_duel"] == "two_kills_one"
    c.swords = value["joker_duel"] == "swords"
    c.single_two_is_gouji = value["single_two_is_gouji"]
    c.big_joker_is_gouji = value["big_joker_is_gouji"]
    c.open_cards = ("pure", "twos_substitute", "any_but_big_joker").index(value["open_cards"])
    c.last_word_yielded = value["opposite_last_word"] == "yielded"
    c.yields = value["yield"]
    c.burn = value["burn"]
    c.burn_guard = value["burn_guard"]
    c.burn_team_mate = value["burn_team_mate"]
    c.counter_burn = value["counter_burn"]
    c.burn_needs_open = value["burn_needs_open"]
    c.burn_order = ("in_turn", "in_turn_team", "burn_first", "team_first").index(value["burn_order"])
    c.one_left = value["end_when"] == "one_left"
    c.last_by_choice = value["last_by"] == "choice"
    c.scoring = ("team_points", "individual", "tributes").index(value["scoring"])
    c.drop_negatives = value["negatives"] == "drop"
    c.across_doubles = value["across_doubles"]
    c.grand_slam = ("none", "sweep_doubles", "korean").index(value["grand_slam"])
    c.redeal = value["redeal_on_request"]
    c.returns = value["return_tribute"]
    c.may_refuse = value["may_refuse"]
    c.return_point = value["return_point"]
    c.may_decline = value["may_decline_tribute"]
    c.team_tribute = ("never", "optional", "always").index(value["team_tribute"])
    c.no_tribute_card = ("exempt", "highest", "highest_for_point").index(value["no_tribute_card"])
    c.resist = value["resist"]
    c.resist_covers = ("team_all", "team_last", "last_only", "seat").index(value["resist_covers"])
    c.buy_from = ("opposite_team", "downstream", "own_team").index(value["buy_from"])
    c.buy_after_point = value["buy_after_point"]
    c.revolution = ("off", "any", "threeless").index(value["revolution"])
    c.allow_two_revolts = value["two_revolts"] == "allow"
    c.revolt_contest = value["revolt_opens"] == "contest"
    c.opposite_opens = ("three", "three_open", "always").index(value["opposite_opens"])
    c.calls = value["calls"]
    c.doubles_called = value["doubles_called"]
    c.opening = value["opening"]
    c.no_open_on_lead = value["no_open_on_lead"]
    c.no_open_on_counter = value["no_open_on_counter"]
    c.natural_open = value["natural_open"]
    c.threes_last = value["threes_last"]
    c.first_choked_is_last = value["first_choked_is_last"]
    c.no_sweep_when_choked = value["no_sweep_when_choked"]
    c.no_bare_joker_lead = value["no_bare_joker_lead"]
    c.fours_open = value["fours_open"]
    c.sink_fours = value["sink_fours"]
    c.lay_off = value["lay_off"]
    # R9.8: with threes last nothing tells counts.
    c.report_at = 0 if value["threes_last"] else value["report_at"]
    c.feel = 0 if value["threes_last"] else value["feel"]
    c.on_request = value["report"] == "on_request" and not value["threes_last"]
    c.coach = value["coach"] and not value["threes_last"]
    text = f"{RULES_VERSION} {sorted((name, str(value)) for name, value in rules.values.items())}"
    made.tag = hashlib.sha256(text.encode()).digest()[:8]
    return made
