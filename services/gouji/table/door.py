"""Who comes to a live table and goes: from which devices its seats are watched, and who is expected back."""

from collections.abc import Collection

from gouji.serving.errors import ServiceError
from gouji.table.devices import Devices
from gouji.table.watch import Watcher, Watchers


class Door:
    """One table's watchers as they come and go. A player who parted is gone after ``absence_us`` microseconds."""

    def __init__(self, watchers: Watchers, absence_us: int) -> None:
        self._watchers = watchers
        self._absence_us = absence_us
        self._devices = Devices()
        self._gone_at: dict[int, int] = {}

    def come(self, watcher: Watcher) -> None:
        """Have somebody watch, from its device; a player who parted is back."""
        self._watchers.add(watcher)
        if watcher.seat is not None:
            self._devices.come(watcher.seat, watcher.guest.device, take_over=watcher.guest.take_over)
            self._gone_at.pop(watcher.seat, None)

    def part(self, watcher: Watcher, now: int) -> bool:
        """Forget a watcher; say whether it was the last one of a seat, whose player is then expected back."""
        self._watchers.discard(watcher)
        if watcher.seat is None or self._watchers.watches(watcher.seat):
            return False
        self._gone_at[watcher.seat] = now + self._absence_us
        return True

    def check(self, seat: int, device: str) -> None:
        """Raise `ServiceError` `other_device` for a device that does not act for its seat while a newer one watches."""
        if not self._devices.may_act(seat, device, self._watchers.devices(seat)):
            raise ServiceError("other_device", "A newer device of yours acts; watch with take_over to act from here.")

    def gone(self, now: int) -> list[int]:
        """Take the seats whose players did not come back in time."""
        seats = [seat for seat, gone_at in self._gone_at.items() if gone_at <= now]
        for seat in seats:
            del self._gone_at[seat]
        return seats

    @property
    def moments(self) -> Collection[int]:
        """When players will be gone who are expected back."""
        return self._gone_at.values()
