"""The arena: players measured against each other on duplicate deals, in the engine alone.

Each deal is played twice, and the line-up moves one seat on in between, so that the teams change cards. What counts is
the difference on the same deal (docs/bots.md).
"""
