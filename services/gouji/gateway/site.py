"""The web client's files and the public keys over HTTP, at a port of the gateway's own."""

from aiohttp import web

from gouji.gateway.endpoints import Address, split
from gouji.gateway.pages import pages
from gouji.serving.app import App, StartError, reachable, taken


class Site:
    """What the door finds at `web_port`, whether it runs beside this process or apart from it."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._runner = web.AppRunner(pages(app.tokens.players.public()), access_log=None)
        self.address: Address | None = None
        """Where it is found from this machine, once it is open."""

    async def open(self) -> None:
        """Take requests; `StartError` when the port is taken."""
        settings = self._app.settings
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, settings.host, settings.web_port).start()
        except OSError as error:
            raise StartError(taken(settings.host, settings.web_port, "--web-port")) from error
        self.address = split(reachable(settings.host, self._runner.addresses[0][1]))

    async def close(self) -> None:
        """Take no more."""
        await self._runner.cleanup()
