"""Compile the engine: every ``engine/gouji/*/*.pyx`` becomes an extension module beside its source."""

from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext


class EngineBuildHook(BuildHookInterface):
    """Cythonize and build in place, and ship the shared objects in the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build before files are collected, for wheels and for editable installs alike."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        sources = sorted(source.relative_to(root) for source in (root / "engine/gouji").glob("*/*.pyx"))
        extensions = [
            Extension(".".join(source.with_suffix("").parts[1:]), [str(source)], extra_compile_args=["-O3"])
            for source in sources
        ]
        modules = cythonize(extensions, include_path=["engine"], build_dir="build", language_level=3, nthreads=2)
        command = build_ext(Distribution({"name": "gouji", "ext_modules": modules, "package_dir": {"": "engine"}}))
        command.inplace = True
        command.parallel = 2
        command.ensure_finalized()
        command.run()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"] += ["engine/gouji/*/*.so", "services/gouji/gateway/web/dist/**"]
