"""Accounts over gRPC: unpacks, asks identities, accounts and deletions, packs."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Final

from gouji.gateway.accounts import Account, Accounts
from gouji.gateway.deletions import Deletion, Deletions
from gouji.gateway.erasing import Eraser
from gouji.gateway.export import export
from gouji.gateway.identity import Identities, Identity
from gouji.gateway.metrics import GatewayMetrics
from gouji.gateway.profile import read_colour, read_name
from gouji.gateway.store import Store
from gouji.gateway.tokens import tokens_message
from gouji.serving.app import App
from gouji.serving.auth import ANY_ROLE, ANYBODY, Role, Roles, caller, read_or_make_key
from gouji.serving.clock import timestamp
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.outside import read_issuers
from gouji.serving.requests import check_id, check_text
from gouji.serving.sanctions import refuse_banned
from gouji.v1 import account_pb2, account_pb2_grpc

ROLES: Final[Roles] = {
    "GetAccount": {Role.PLAYER},
    "UpdateProfile": {Role.PLAYER},
    "GetProfiles": ANY_ROLE,
    "BindIdentity": {Role.PLAYER},
    "SignIn": ANYBODY,
    "UnbindIdentity": {Role.PLAYER},
    "ExportAccount": {Role.PLAYER},
    "DeleteAccount": {Role.PLAYER},
}
"""Who may call what."""

ADMIN_ROLES: Final[Roles] = {"DeletePlayer": {Role.OPERATOR}, "ListDeletions": {Role.OPERATOR}}
"""The same of the operators' side."""

MOST_PROFILES: Final = 100
"""Most profiles in one answer."""

LONGEST_REASON: Final = 200
"""Characters of what an operator says."""

DEFAULT_LIMIT, MOST_LIMIT = 100, 1000
"""Deletions in one answer."""

PIECE: Final = 32 * 1024
"""Characters in one message of an export, about."""


def bind_accounts(app: App, store: Store, metrics: GatewayMetrics) -> None:
    """Add accounts, and what is left to do of deletions, to a process."""
    settings, accounts, deletions = app.settings, Accounts(app.database), Deletions(app.database)
    given = settings.identity_key
    key = given.get_secret_value() if given else read_or_make_key(settings.data_directory / "identity.key")
    identities = Identities(read_issuers(settings.identity_issuers), key, app.clock)
    app.add_servicer(
        account_pb2_grpc.add_AccountServiceServicer_to_server,
        AccountServicer(app, accounts, identities, deletions),
        "gouji.v1.AccountService",
        roles=ROLES,
    )
    app.add_servicer(
        account_pb2_grpc.add_AccountAdminServiceServicer_to_server,
        AccountAdminServicer(app, accounts, deletions),
        "gouji.v1.AccountAdminService",
        roles=ADMIN_ROLES,
    )
    app.background("deletions", Eraser(app, deletions, store, metrics).run)


class AccountServicer(account_pb2_grpc.AccountServiceServicer):
    """What players do with their accounts. One that is gone is refused with `unknown_player`."""

    def __init__(self, app: App, accounts: Accounts, identities: Identities, deletions: Deletions) -> None:
        self._app = app
        self._accounts = accounts
        self._identities = identities
        self._deletions = deletions

    async def GetAccount(  # noqa: N802 (gRPC's name)
        self, _request: account_pb2.GetAccountRequest, _context: Any
    ) -> account_pb2.GetAccountResponse:
        """Say what is known of the caller."""
        account = await self._accounts.one(caller().player_id)
        return account_pb2.GetAccountResponse(account=_account(account))

    async def UpdateProfile(  # noqa: N802 (gRPC's name)
        self, request: account_pb2.UpdateProfileRequest, _context: Any
    ) -> account_pb2.UpdateProfileResponse:
        """Change name or colour; refused with `malformed` for what cannot be shown."""
        name = read_name(request.name) if request.HasField("name") else None
        colour = read_colour(request.colour) if request.HasField("colour") else None
        account = await self._accounts.change(caller().player_id, name, colour)
        return account_pb2.UpdateProfileResponse(account=_account(account), tokens=self._tokens(account))

    async def GetProfiles(  # noqa: N802 (gRPC's name)
        self, request: account_pb2.GetProfilesRequest, _context: Any
    ) -> account_pb2.GetProfilesResponse:
        """Say how players are called and look, in the order asked for."""
        if not 1 <= len(request.player_ids) <= MOST_PROFILES:
            raise malformed("player_ids", f"has {len(request.player_ids)} entries, not 1 to {MOST_PROFILES}")
        for number, player_id in enumerate(request.player_ids):
            check_id(f"player_ids[{number}]", player_id)
        found = await self._accounts.profiles(set(request.player_ids))
        profiles = [
            account_pb2.Profile(player_id=one, name=seen.name, colour=seen.colour, deleted=seen.deleted)
            for one in request.player_ids
            if (seen := found.get(one))
        ]
        return account_pb2.GetProfilesResponse(profiles=profiles)

    async def BindIdentity(  # noqa: N802 (gRPC's name)
        self, request: account_pb2.BindIdentityRequest, _context: Any
    ) -> account_pb2.BindIdentityResponse:
        """Bind the caller to an identity, or sign in as the player that has it, if that is asked for.

        Refused with `identity_taken`, `already_bound`, `identity_invalid`, `identity_unavailable`, `malformed`, and
        for who would sign in and may not come in, with `banned`.
        """
        identity = await self._identities.prove(request.proof)
        try:
            account = await self._accounts.bind(caller().player_id, identity)
        except ServiceError as error:
            if error.reason != "identity_taken" or not request.or_sign_in:
                raise
            other = await self._sign_in(identity)
            return account_pb2.BindIdentityResponse(account=_account(other), tokens=self._tokens(other))
        return account_pb2.BindIdentityResponse(account=_account(account))

    async def SignIn(  # noqa: N802 (gRPC's name)
        self, request: account_pb2.SignInRequest, _context: Any
    ) -> account_pb2.SignInResponse:
        """Give tokens for the player of an identity.

        Refused with `unknown_identity`, `identity_invalid`, `identity_unavailable`, `malformed`, `banned`.
        """
        account = await self._sign_in(await self._identities.prove(request.proof))
        return account_pb2.SignInResponse(account=_account(account), tokens=self._tokens(account))

    async def UnbindIdentity(  # noqa: N802 (gRPC's name)
        self, _request: account_pb2.UnbindIdentityRequest, _context: Any
    ) -> account_pb2.UnbindIdentityResponse:
        """Make the caller a guest; who is one stays so."""
        account = await self._accounts.unbind(caller().player_id)
        return account_pb2.UnbindIdentityResponse(account=_account(account))

    async def ExportAccount(  # noqa: N802 (gRPC's name)
        self, _request: account_pb2.ExportAccountRequest, _context: Any
    ) -> AsyncIterator[account_pb2.ExportAccountResponse]:
        """Write down what is stored of the caller, in pieces."""
        pending = ""
        async with aclosing(export(self._app.database, caller().player_id)) as texts:
            async for text in texts:
                pending += text
                if len(pending) >= PIECE:
                    yield account_pb2.ExportAccountResponse(text=pending)
                    pending = ""
        yield account_pb2.ExportAccountResponse(text=pending)

    async def DeleteAccount(  # noqa: N802 (gRPC's name)
        self, _request: account_pb2.DeleteAccountRequest, _context: Any
    ) -> account_pb2.DeleteAccountResponse:
        """Delete the caller."""
        player_id = caller().player_id
        await self._accounts.delete(player_id, "player")
        await self._app.barred.look()
        return account_pb2.DeleteAccountResponse(deletion=await _deletion_of(self._deletions, player_id))

    async def _sign_in(self, identity: Identity) -> Account:
        """Find the player of an identity, if it may come in."""
        account = await self._accounts.bound_to(identity)
        await refuse_banned(self._app.database, account.player_id)
        return account

    def _tokens(self, account: Account) -> Any:
        return tokens_message(self._app.tokens.mint_player(account.player_id, account.name))


class AccountAdminServicer(account_pb2_grpc.AccountAdminServiceServicer):
    """What operators do with players."""

    def __init__(self, app: App, accounts: Accounts, deletions: Deletions) -> None:
        self._app = app
        self._accounts = accounts
        self._deletions = deletions

    async def DeletePlayer(  # noqa: N802 (gRPC's name)
        self, request: account_pb2.DeletePlayerRequest, _context: Any
    ) -> account_pb2.DeletePlayerResponse:
        """Delete a player; who asked for it and why is kept. Refused with `unknown_player`, `malformed`."""
        check_id("player_id", request.player_id)
        reason, who = request.reason.strip(), caller().name
        check_text("reason", reason, LONGEST_REASON)
        await self._accounts.delete(request.player_id, f"operator {who}", reason)
        await self._app.barred.look()
        self._app.log.info("player_deletion_asked", player=request.player_id, operator=who)
        deletion = await _deletion_of(self._deletions, request.player_id)
        return account_pb2.DeletePlayerResponse(deletion=deletion)

    async def ListDeletions(  # noqa: N802 (gRPC's name)
        self, request: account_pb2.ListDeletionsRequest, _context: Any
    ) -> account_pb2.ListDeletionsResponse:
        """List deletions, the newest first."""
        if request.limit > MOST_LIMIT:
            raise malformed("limit", f"is {request.limit}; {MOST_LIMIT} is the most")
        if request.player_id:
            check_id("player_id", request.player_id)
        most = request.limit or DEFAULT_LIMIT
        found = await self._deletions.find(request.player_id, most + 1, undone=request.open)
        return account_pb2.ListDeletionsResponse(deletions=map(_deletion, found[:most]), more=len(found) > most)


async def _deletion_of(deletions: Deletions, player_id: str) -> account_pb2.PlayerDeletion:
    (found,) = await deletions.find(player_id, 1, undone=False)
    return _deletion(found)


def _account(account: Account) -> account_pb2.Account:
    message = account_pb2.Account(
        player_id=account.player_id,
        name=account.name,
        colour=account.colour,
        created=timestamp(account.created_at),
        issuer=account.issuer,
    )
    if account.issuer:
        message.bound.CopyFrom(timestamp(account.bound_at))
    return message


def _deletion(deletion: Deletion) -> account_pb2.PlayerDeletion:
    return account_pb2.PlayerDeletion(
        player_id=deletion.player_id,
        requested=timestamp(deletion.requested_at),
        requested_by=deletion.requested_by,
        reason=deletion.reason,
        done=None if deletion.done_at is None else timestamp(deletion.done_at),
    )
