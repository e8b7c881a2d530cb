"""The player's account: what it is called, where it can come back from, and its end."""

import hashlib
import secrets
from collections.abc import Iterable

from gouji.client.credentials import Credentials
from gouji.client.session import Metadata, Session
from gouji.v1 import account_pb2_grpc, gateway_pb2
from gouji.v1.account_pb2 import (
    Account,
    BindIdentityRequest,
    DeleteAccountRequest,
    ExportAccountRequest,
    GetAccountRequest,
    GetProfilesRequest,
    IdentityProof,
    PlayerDeletion,
    Profile,
    SignInRequest,
    UnbindIdentityRequest,
    UpdateProfileRequest,
)


def draw_nonce() -> tuple[str, str]:
    """Draw a raw nonce, to be kept, and the nonce to ask an identity provider with."""
    raw = secrets.token_urlsafe(32)
    return raw, hashlib.sha256(raw.encode()).hexdigest()


class Accounts:
    """The account of the session's player. Every call may be repeated; failures raise `ClientError`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def read(self) -> Account:
        """Read what is known of the player."""
        return (await self._session.call(self._stub.GetAccount, GetAccountRequest())).account

    async def update(self, *, name: str | None = None, colour: int | None = None) -> Account:
        """Change name or colour (0xRRGGBB)."""
        answer = await self._session.call(self._stub.UpdateProfile, UpdateProfileRequest(name=name, colour=colour))
        return self._act_as(answer.account, answer.tokens)

    async def profiles(self, player_ids: Iterable[str]) -> dict[str, Profile]:
        """Read how players are called and look, up to 100; one who never was is missing."""
        request = GetProfilesRequest(player_ids=player_ids)
        answer = await self._session.call(self._stub.GetProfiles, request)
        return {profile.player_id: profile for profile in answer.profiles}

    async def bind(self, id_token: str, raw_nonce: str, *, or_sign_in: bool = False) -> Account:
        """Bind the player to an identity; with ``or_sign_in`` act as the player that has it, if another one does."""
        request = BindIdentityRequest(proof=_proof(id_token, raw_nonce), or_sign_in=or_sign_in)
        answer = await self._session.call(self._stub.BindIdentity, request)
        return self._act_as(answer.account, answer.tokens) if answer.HasField("tokens") else answer.account

    async def sign_in(self, id_token: str, raw_nonce: str) -> Account:
        """Act from now on as the player that is bound to an identity."""
        request = SignInRequest(proof=_proof(id_token, raw_nonce))
        answer = await self._session.call(self._stub.SignIn, request)
        return self._act_as(answer.account, answer.tokens)

    async def unbind(self) -> Account:
        """Be a guest again."""
        return (await self._session.call(self._stub.UnbindIdentity, UnbindIdentityRequest())).account

    async def export(self) -> str:
        """Read all that is stored of the player: a JSON object."""

        async def attempt(metadata: Metadata) -> str:
            stream = self._stub.ExportAccount(ExportAccountRequest(), metadata=metadata)
            return "".join([piece.text async for piece in stream])

        return await self._session.repeat(attempt)

    async def delete(self) -> PlayerDeletion:
        """Delete the player for good; the session is nobody's after that."""
        answer = await self._session.call(self._stub.DeleteAccount, DeleteAccountRequest())
        self._session.credentials = None
        return answer.deletion

    def _act_as(self, account: Account, tokens: gateway_pb2.Tokens) -> Account:
        self._session.take(Credentials.of(account.player_id, account.name, tokens))
        return account

    @property
    def _stub(self) -> "account_pb2_grpc.AccountServiceAsyncStub":
        return account_pb2_grpc.AccountServiceStub(self._session.channel())


def _proof(id_token: str, raw_nonce: str) -> IdentityProof:
    return IdentityProof(id_token=id_token, raw_nonce=raw_nonce)
