"""The web client's files over HTTP, behind the door: what may be kept for ever is, and no page runs foreign code."""

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Final

from aiohttp import web

from gouji.serving.keys import TokenKey, jwks

FILES: Final = Path(__file__).with_name("web") / "dist"
"""Where the web client is built to (`web/`)."""

ALL_PAGES: Final = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Headers of every answer."""

JWKS_PATH: Final = "/.well-known/jwks.json"
"""Where the public keys of players' tokens are."""

ASSETS: Final = "assets"
"""The folder of files whose names change with their contents."""

KEPT: Final = "public, max-age=31536000, immutable"
ASKED_FOR: Final = "no-cache"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def pages(keys: Iterable[TokenKey] = (), files: Path = FILES) -> web.Application:
    """Make the application that serves public keys and these files.

    A path that names no file is the client's own: it gets the page.
    """
    application = web.Application()
    application.on_response_prepare.append(_add_headers)
    application.router.add_get(JWKS_PATH, _telling(jwks(keys)))
    application.router.add_get("/{path:.*}", _serving(files))
    return application


def _telling(value: dict[str, Any]) -> Handler:
    """Make the handler that gives one value as JSON."""

    async def tell(_request: web.Request) -> web.StreamResponse:
        return web.json_response(value)

    return tell


def _serving(files: Path) -> Handler:
    """Make the handler of all paths below a folder."""
    known = {str(path.relative_to(files)): path for path in files.rglob("*") if path.is_file()}
    index = files / "index.html"

    async def serve(request: web.Request) -> web.StreamResponse:
        name = request.match_info["path"]
        if name in known:
            return web.FileResponse(known[name])
        if name.startswith(f"{ASSETS}/"):
            raise web.HTTPNotFound
        if not index.exists():
            return web.Response(text="The web client is not built here.", status=404)
        return web.FileResponse(index)

    return serve


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(ALL_PAGES)
    kept = request.path.startswith(f"/{ASSETS}/") and response.status < 400
    response.headers["Cache-Control"] = KEPT if kept else ASKED_FOR
