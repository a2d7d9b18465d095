"""Files that were made to break muster: what each does to it.

    attacks.py MUSTER [--attacks FOLDER] [--large]

Every model, picture and feature shard of FOLDER and of the seeds of the fuzz targets is used by the command that it is for. Exit code 3,
or 0 with finite answers, and at most 200 MB of memory; anything else fails. Seconds are printed, and decide nothing. FOLDER is
"attacks" beside the folder that MUSTER_DATA names (by default ../shared/data beside the source). --large makes pictures of a megabyte that
cost as much as such a file can, and lets them take 600 MB.
"""
import argparse
import io
import json
import multiprocessing
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PICTURES = {"bmp", "jpeg", "png", "pnm", "tiff", "webp"}  # seeds of fuzz targets
SUFFIXES = {".jpg", ".jpeg", ".png", ".tif", ".tiff", ".bmp", ".webp", ".ppm", ".pgm", ".pbm"}
MOST_BYTES, MOST_BYTES_OF_LARGE = 200e6, 600e6
MEGABYTE = 1_000_000
PATIENCE_S = 60
SKIPPED = 77


def default_attacks():
    data = os.environ.get("MUSTER_DATA") or SOURCE / ".." / "shared" / "data"
    return Path(data).resolve().parent / "attacks"


def shard_items(shard):
    """The names of the items that a feature shard holds."""
    content = shard.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    header, arrays = json.loads(content[8:8 + length]), content[8 + length:]

    def array(name):
        begin, end = header[name]["data_offsets"]
        return arrays[begin:end]

    ends = struct.unpack(f"<{len(array('name_offsets')) // 8}Q", array("name_offsets"))
    return [array("names")[a:b].decode() for a, b in zip(ends, ends[1:])]


class Bench:
    """A folder with what the commands need besides the file."""

    def __init__(self, muster, folder):
        self.muster, self.folder = muster, folder
        self.runs, self.failures, self.most, self.allowed = 0, [], {"seconds": 0, "CPU": 0, "bytes": 0}, MOST_BYTES
        self.ok("synth", "pictures", "--classes", "2", "--per-class", "4", "--size", "48x48")
        self.ok("train", "pictures", "-r", "dsift:step=16/bow:words=4/linear-svm:C=1", "-o", "pictures.muster")
        for dim in (2, 3):
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (5, {dim}), }}".ljust(117) + "\n"
            values = struct.pack(f"<{5 * dim}f", *(i / 7 for i in range(5 * dim)))
            (folder / f"set{dim}.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values)

    def ok(self, *arguments):
        subprocess.run([self.muster, *arguments, "--quiet"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def attack(self, name, *arguments):
        """Runs the command, prints what it took, and judges how it ended."""
        with open(self.folder / "out", "wb") as out, open(self.folder / "err", "wb") as err:
            begun = time.monotonic()
            process = subprocess.Popen([self.muster, *map(str, arguments)], cwd=self.folder, stdout=out, stderr=err)
            usage, wrong = self.wait(process)
        seconds, used = time.monotonic() - begun, 1024 * usage.ru_maxrss
        cpu_seconds = usage.ru_utime + usage.ru_stime
        code, printed = process.returncode, (self.folder / "out").read_text(errors="replace")
        if code not in (0, 3):
            wrong = wrong or f"exit code {code}"
        if code == 0 and arguments[0] == "predict":
            wrong = wrong or self.not_finite(printed)
        if used > self.allowed:
            wrong = wrong or f"{used / 1e6:.0f} MB"
        self.runs += 1
        self.most = {"seconds": max(self.most["seconds"], seconds), "CPU": max(self.most["CPU"], cpu_seconds), "bytes": max(self.most["bytes"], used)}
        print(f"{'WRONG' if wrong else 'ok':5} exit {code}, {seconds:5.2f} s ({cpu_seconds:.2f} s of CPU), {used / 1e6:5.1f} MB: {arguments[0]} {name}", flush=True)
        if wrong:
            self.failures.append(f"{arguments[0]} {name}: {wrong}\n    {(self.folder / 'err').read_text(errors='replace')[-300:]}")

    @staticmethod
    def wait(process):
        end = time.monotonic() + PATIENCE_S
        while True:
            id_, status, usage = os.wait4(process.pid, os.WNOHANG)
            if id_:
                process.returncode = os.waitstatus_to_exitcode(status)
                return usage, ""
            if time.monotonic() > end:
                process.kill()
                _, _, usage = os.wait4(process.pid, 0)
                process.returncode = None
                return usage, "it hangs"
            time.sleep(0.002)

    @staticmethod
    def not_finite(printed):
        try:
            answers = json.loads(printed, parse_constant=lambda constant: float("nan"))
        except ValueError:
            return "it prints something else than JSON"

        def numbers(value):
            if isinstance(value, dict):
                value = value.values()
            elif not isinstance(value, list):
                return [value] if isinstance(value, float) else []
            return [number for part in value for number in numbers(part)]

        return "" if all(abs(number) < 1e300 for number in numbers(answers)) else "an answer that is not finite"

    def picture(self, name, file):
        self.attack(name, "predict", "pictures.muster", file, "--json")

    def model(self, name, file):
        self.attack(name, "info", file)
        for dim in (2, 3):
            self.attack(name, "predict", file, f"set{dim}.npy", "--json")

    def shards(self, name, folder):
        drawn = next((self.folder / "pictures").rglob("*.png"))
        for item in shard_items(next(folder.glob("*.safetensors"))):
            (self.folder / name / item).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(drawn, self.folder / name / item)
        self.attack(name, "train", name, "--features", folder, "--recipe",
                    "dsift:step=16,size=16/spm:words=5,levels=2/kernel-svm", "-o", "out.muster")


def repeat_last_scan(jpeg, scans):
    """A progressive picture with its last scan several times, so that there are so many."""
    starts = [i for i in range(len(jpeg) - 1) if jpeg[i:i + 2] == b"\xff\xda"]
    return jpeg[:-2] + jpeg[starts[-1]:-2] * (scans - len(starts)) + jpeg[-2:]


def make_large_pictures(side, folder):
    """Flat pictures of side x side pixels, filled up to a megabyte."""
    from PIL import Image  # not needed for the rest

    Image.MAX_IMAGE_PIXELS = None
    kinds = {"rgba.png": ("RGBA", {"compress_level": 1}), "rgb16.png": ("I;16", {"compress_level": 1}), "baseline.jpg": ("RGB", {}),
             "progressive.jpg": ("RGB", {"progressive": True, "subsampling": 0}), "cmyk.jpg": ("CMYK", {"progressive": True}),
             "deflate.tif": ("RGBA", {"compression": "tiff_adobe_deflate", "strip_size": 1 << 30}), "lzw.tif": ("RGB", {"compression": "tiff_lzw"}),
             "float.tif": ("F", {"compression": "tiff_adobe_deflate", "strip_size": 1 << 30}),
             "lossless.webp": ("RGBA", {"lossless": True, "method": 0, "exact": True}), "lossy.webp": ("RGB", {"method": 0}), "bits.pbm": ("1", {})}
    for name, (mode, options) in kinds.items():
        file = io.BytesIO()
        Image.new(mode, (side, side)).save(file, {"tif": "TIFF", "jpg": "JPEG", "pbm": "PPM"}.get(name[-3:], name.rsplit(".", 1)[1]), **options)
        content = file.getvalue()
        if name == "progressive.jpg":
            content = repeat_last_scan(content, 32)
        if len(content) <= MEGABYTE:
            (folder / f"{side}-{name}").write_bytes(content.ljust(MEGABYTE, b"\0"))


def attack_by_large_pictures(bench):
    """As many pixels as a megabyte may have, and more; shrunk, and whole."""
    bench.allowed = MOST_BYTES_OF_LARGE
    made = bench.folder / "made"
    made.mkdir()
    for side in (7000, 9900):
        maker = multiprocessing.Process(target=make_large_pictures, args=(side, made))  # what it takes would count for commands it starts
        maker.start()
        maker.join()
    for file in sorted(made.iterdir()):
        shutil.rmtree(bench.folder / "large", ignore_errors=True)
        (bench.folder / "large" / "one").mkdir(parents=True)
        file.rename(bench.folder / "large" / "one" / file.name)
        bench.picture(file.name, bench.folder / "large" / "one" / file.name)
        bench.attack(file.name, "inspect", "large")


def attack_all(bench, attacks):
    for path in sorted(attacks.iterdir()):
        if path.suffix == ".muster":
            bench.model(path.name, path)
        elif path.suffix in SUFFIXES:
            bench.picture(path.name, path)
        elif path.is_dir() and any(path.glob("*.safetensors")):
            bench.shards(path.name, path)
    for seed in sorted((SOURCE / "tests/fuzz/corpus").glob("*/*")):
        name = f"{seed.parent.name}/{seed.name}"
        if seed.parent.name in PICTURES:
            copy = bench.folder / f"seed-{seed.parent.name}-{seed.name}.png"  # recognised by its content, whatever its name
            shutil.copy(seed, copy)
            bench.picture(name, copy)
        elif seed.parent.name == "model":
            bench.model(name, seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("muster")
    parser.add_argument("--attacks", type=Path, default=default_attacks())
    parser.add_argument("--large", action="store_true")
    args = parser.parse_args()
    if not args.attacks.is_dir():
        print(f"skipped: there is no folder {args.attacks}; set MUSTER_DATA to the folder of image sets beside it")
        return SKIPPED
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="muster-attacks-") as folder:
        bench = Bench(os.path.abspath(args.muster), Path(folder))
        if args.large:
            attack_by_large_pictures(bench)
        else:
            attack_all(bench, args.attacks.resolve())
    print(f"{bench.runs} commands, {len(bench.failures)} failed; at most {bench.most['seconds']:.2f} s, {bench.most['CPU']:.2f} s of CPU and {bench.most['bytes'] / 1e6:.1f} MB")
    for failure in bench.failures:
        print(failure)
    return 1 if bench.failures or not bench.runs else 0


if __name__ == "__main__":
    sys.exit(main())
