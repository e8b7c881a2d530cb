"""Tokens as players get them."""

from gouji.serving.auth import PlayerTokens
from gouji.v1 import gateway_pb2


def tokens_message(made: PlayerTokens) -> gateway_pb2.Tokens:
    """Pack a player's tokens."""
    tokens = gateway_pb2.Tokens(access_token=made.access_token, refresh_token=made.refresh_token)
    tokens.access_expires.FromDatetime(made.access_expires)
    tokens.refresh_expires.FromDatetime(made.refresh_expires)
    return tokens
