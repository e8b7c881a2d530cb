"""The network between a browser and the door: it can be cut and mended, and keeps what came to the browser."""

import selectors
import socket
import threading
from contextlib import suppress


class Network:
    """Passes bytes on to a port of this machine; while it is ``cut``, it takes nothing and loses what was there.

    ``brought`` are all bytes that came from the port, in the order of their coming.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self.brought = bytearray()
        self._is_cut = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break all connections, and refuse others."""
        self._is_cut = True
        for pair in list(self._pairs):
            _close(pair)

    def mend(self) -> None:
        """Take connections again."""
        self._is_cut = False

    def close(self) -> None:
        """End for good."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                inside, _ = self._listener.accept()
                if self._is_cut:
                    inside.close()
                    continue
                pair = (inside, socket.create_connection(("127.0.0.1", self._target)))
                self._pairs.add(pair)
                threading.Thread(target=self._pass_on, args=(pair,), daemon=True).start()

    def _pass_on(self, pair: tuple[socket.socket, socket.socket]) -> None:
        other = {pair[0]: pair[1], pair[1]: pair[0]}
        with selectors.DefaultSelector() as ready, suppress(OSError, ValueError):
            for end in pair:
                ready.register(end, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    if not data:
                        raise OSError
                    if key.fileobj is pair[1]:
                        self.brought += data
                    other[key.fileobj].sendall(data)  # type: ignore[index]
        self._pairs.discard(pair)
        _close(pair)


def _close(pair: tuple[socket.socket, socket.socket]) -> None:
    for end in pair:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
