"""What pip calls (PEP 517): builds the package with CMake and puts it into a wheel. Needs Python alone, and what `scripts/packages build python` names."""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "muster"
PACKAGE_DIR = "package"
METADATA = """Metadata-Version: 2.1
Name: muster
Version: {version}
Summary: Classifies sets of vectors, and pictures, with the interface of scikit-learn
License: BSD-3-Clause
Requires-Python: >=3.9
Requires-Dist: numpy>=1.21
Requires-Dist: scikit-learn>=1.1
Requires-Dist: joblib
"""


def version():
    return re.search(r"project\(muster VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def run(*command):
    if subprocess.run([str(word) for word in command], cwd=ROOT).returncode != 0:
        sys.exit(f"muster: '{command[0]} {command[1]}' failed; on Debian, `scripts/install build python` installs what a build needs")


def built_files(scratch):
    """{name in the wheel: file} of the package, built for this Python."""
    build = ROOT / "build" / f"wheel-{tag()}"
    run("cmake", "--preset", "python", "-B", build, f"-DMUSTER_PYTHON={sys.executable}", f"-DMUSTER_PYTHON_DIR={PACKAGE_DIR}")
    run("cmake", "--build", build, "--target", "muster_python", "--parallel", os.cpu_count() or 1)
    run("cmake", "--install", build, "--component", "python", "--strip", "--prefix", scratch)
    base = pathlib.Path(scratch) / PACKAGE_DIR
    return {file.relative_to(base).as_posix(): file.read_bytes() for file in sorted(base.rglob("*")) if file.is_file()}


def info_files():
    folder = f"{NAME}-{version()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: muster_build\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    return {
        f"{folder}/METADATA": METADATA.format(version=version()).encode(),
        f"{folder}/WHEEL": wheel.encode(),
        f"{folder}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """So that pip need not build in order to read it."""
    for file, data in info_files().items():
        path = pathlib.Path(metadata_directory) / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return f"{NAME}-{version()}.dist-info"


def record_of(files, name):
    rows = []
    for file, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{file},sha256={digest},{len(data)}\n")
    return ("".join(rows) + f"{name},,\n").encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as scratch:
        files = {**built_files(scratch), **info_files()}
    record = f"{NAME}-{version()}.dist-info/RECORD"
    files[record] = record_of(files, record)
    name = f"{NAME}-{version()}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, data in files.items():
            info = zipfile.ZipInfo(file, (1980, 1, 1, 0, 0, 0))
            info.external_attr = (0o755 if file.endswith(".so") else 0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(info, data)
    return name


class UnsupportedOperation(Exception):
    """As PEP 517 wants it."""


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("muster: install from a clone; there are no source distributions")
