"""Health as `grpc.health.v1` gives it: overall under the empty name, and each service under its full name.

Liveness needs no more than an answer: a loop that is stuck answers nobody. Readiness is SERVING. A kubelet asks over
HTTP (`probes.py`).
"""

from collections.abc import Collection
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

SERVICE_NAME: str = health.SERVICE_NAME
"""Full name of the health service."""

_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class _Servicer(health.aio.HealthServicer):  # type: ignore[misc]
    """The library's, with the method that it leaves out."""

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self._names = names

    async def List(  # noqa: N802 (gRPC's name)
        self, _request: Any, context: Any
    ) -> health_pb2.HealthListResponse:
        """Say how everything is that `Check` may be asked about."""
        asked = {name: health_pb2.HealthCheckRequest(service=name) for name in self._names}
        return health_pb2.HealthListResponse(
            statuses={name: await self.Check(request, context) for name, request in asked.items()}
        )


class Health:
    """What this process says of itself: SERVING from its start on, NOT_SERVING for good once it drains."""

    def __init__(self) -> None:
        self._names = {""}
        self._servicer: Any = _Servicer(self._names)

    def add_to(self, server: grpc.aio.Server) -> None:
        """Serve health on this server."""
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)

    def add(self, service_name: str) -> None:
        """Speak of this service too."""
        self._names.add(service_name)

    async def serving(self) -> None:
        """Say that everything serves."""
        for name in self._names:
            await self._servicer.set(name, _SERVING)

    async def set(self, service_name: str, *, serving: bool) -> None:
        """Say whether one service serves; without effect once draining."""
        await self._servicer.set(service_name, _SERVING if serving else _NOT_SERVING)

    async def drain(self) -> None:
        """Say for good that nothing serves any more."""
        await self._servicer.enter_graceful_shutdown()
