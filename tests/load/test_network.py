"""The network as phones have it: late, in order, and cut."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gouji.load.network import Mobile, host_and_port
from gouji.load.profile import Network


@asynccontextmanager
async def echo() -> AsyncIterator[str]:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1000):
            writer.write(data)
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def test_what_is_sent_comes_whole_in_order_and_late(tmp_path: Path) -> None:
    network, socket = Network(share=1, delay_ms=40, jitter_ms=30), tmp_path / "s"
    async with echo() as address, Mobile(network, address, socket, random.Random(1)):
        reader, writer = await asyncio.open_unix_connection(socket)
        began, sent = asyncio.get_running_loop().time(), b"".join(bytes([n]) * 500 for n in range(40))
        for start in range(0, len(sent), 500):
            writer.write(sent[start : start + 500])
            await asyncio.sleep(0)
        assert await asyncio.wait_for(reader.readexactly(len(sent)), 30) == sent
        assert asyncio.get_running_loop().time() - began >= 2 * 0.040
        writer.close()


async def test_a_cut_breaks_what_is_open_and_lets_nothing_through_until_it_is_over(tmp_path: Path) -> None:
    network, socket = Network(share=1, delay_ms=0, jitter_ms=0), tmp_path / "s"
    async with echo() as address, Mobile(network, address, socket, random.Random(1)) as mobile:
        reader, writer = await asyncio.open_unix_connection(socket)
        writer.write(b"x")
        assert await asyncio.wait_for(reader.read(1), 30) == b"x"
        cutting = asyncio.create_task(mobile.cut(0.5))
        assert await broken(reader)
        writer.close()
        refused, other = await asyncio.open_unix_connection(socket)
        assert await broken(refused)
        other.close()
        await cutting
        reader, writer = await asyncio.open_unix_connection(socket)
        writer.write(b"y")
        assert await asyncio.wait_for(reader.read(1), 30) == b"y"
        writer.close()
        assert mobile.cuts == 1


async def broken(reader: asyncio.StreamReader) -> bool:
    try:
        return await asyncio.wait_for(reader.read(1), 30) == b""
    except ConnectionError:
        return True


def test_what_is_encrypted_cannot_be_passed_on() -> None:
    assert host_and_port("127.0.0.1:7100") == ("127.0.0.1", 7100)
    assert host_and_port("http://door.example") == ("door.example", 80)
    with pytest.raises(ValueError, match="without TLS"):
        host_and_port("https://door.example")
