"""What Envoy itself answers, in our terms: which of its replies has which reason. Pure."""

import struct
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from gouji.serving.errors import DETAILS_KEY, ServiceError, to_status

TABLES: Final = "/gouji.v1.Table"
"""How the paths of what table servers serve begin."""

_BROKEN: Final = ("UF", "UC", "UR", "URX", "LR", "LH", "UPE")
_LATE: Final = ("UT", "DT", "UMSDR", "SI")

WEB_TRAILERS: Final = 0x80
"""Flag of the frame of gRPC-Web that holds the trailers."""

OVERLOADED_RETRY_MS: Final = 1000
AWAY_RETRY_MS: Final = 500
LOST_RETRY_MS: Final = 100
RATE_RETRY_MS: Final = 1000


@dataclass(frozen=True, slots=True)
class Reply:
    """Replies of Envoy with one of these response flags, or a status in this range, for paths that begin so."""

    error: ServiceError
    flags: Sequence[str] = ()
    statuses: tuple[int, int] = (0, 0)
    path: str = ""

    @property
    def grpc_status(self) -> int:
        """The number of its gRPC status."""
        number: int = self.error.code.value[0]
        return number

    @property
    def headers(self) -> dict[str, str]:
        """What a gRPC client reads beside the sentence."""
        packed = b64encode(to_status(self.error).SerializeToString()).decode()
        return {"grpc-status": str(self.grpc_status), DETAILS_KEY: packed}

    @property
    def web_body(self) -> str:
        """What a gRPC-Web client reads: a frame of trailers, in base64."""
        trailers = {**self.headers, "grpc-message": quote(self.error.message)}
        text = "".join(f"{name}:{value}\r\n" for name, value in trailers.items()).encode()
        return b64encode(struct.pack(">BI", WEB_TRAILERS, len(text)) + text).decode()


def replies() -> list[Reply]:
    """List all replies; the first that fits is given."""
    rate = ServiceError("rate_limited", "Too many calls come from your address.", RATE_RETRY_MS)
    full = ServiceError("overloaded", "Too much is going on here just now.", OVERLOADED_RETRY_MS)
    lost = ServiceError("unknown_server", "There is no such table server; locate the table anew.", LOST_RETRY_MS)
    moving = ServiceError("table_moving", "The table's server does not answer.", AWAY_RETRY_MS)
    away = ServiceError("unreachable", "The service does not answer.", AWAY_RETRY_MS)
    return [
        Reply(rate, statuses=(429, 429)),
        Reply(full, flags=("OM", "UO")),
        Reply(lost, flags=("UH",), path=TABLES),
        Reply(moving, flags=_BROKEN, path=TABLES),
        Reply(away, flags=("UH", *_BROKEN)),
        Reply(ServiceError("deadline", "The call took too long."), flags=_LATE),
        Reply(ServiceError("deadline", "The request came too slowly."), statuses=(408, 408)),
        Reply(ServiceError("unknown_method", "There is no such method, or not from outside."), statuses=(404, 404)),
        Reply(ServiceError("too_large", "The request is too large."), statuses=(413, 413)),
        Reply(ServiceError("too_large", "The request's headers are too large."), statuses=(431, 431)),
        Reply(ServiceError("malformed", "This is no request that can be read."), statuses=(400, 499)),
        Reply(away, statuses=(500, 599)),
    ]
