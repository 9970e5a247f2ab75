#!/usr/bin/env python3
"""wheel.py ROOT BUILD: the package of BUILD/python as a wheel, with the standard library, the
experiments and the shared libraries that Debian has and other systems may lack. It prints the wheel's
path. Run by ./dev wheel; nothing but Python is needed."""

import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import sysconfig
import zipfile

# What every Linux has; all else that the module is linked with goes into the wheel.
SYSTEM = re.compile(r"^(ld-linux.*|lib(c|m|dl|pthread|rt|stdc\+\+|gcc_s)\.so.*|linux-vdso.*)$")


def libraries(module):
    """The shared libraries that the module needs, and these in turn, as {name: path}."""
    text = subprocess.run(["ldd", str(module)], check=True, text=True, stdout=subprocess.PIPE)
    text = text.stdout
    found = re.findall(r"^\s*(\S+) => (/\S+)", text, re.MULTILINE)
    return {name: pathlib.Path(path) for name, path in found if not SYSTEM.match(name)}


def files(root, build):
    """(name in the wheel, path) of everything but its own records."""
    package = build / "python" / "gpx"
    for path in sorted(package.iterdir()):
        if path.suffix in (".py", ".pyi", ".so") or path.name == "py.typed":
            yield f"gpx/{path.name}", path
    for name, path in sorted(libraries(package / "_gpx.abi3.so").items()):
        yield f"gpx/libs/{name}", path
    for folder in ("stdlib", "experiments"):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file():
                yield f"gpx/data/{folder}/{path.relative_to(root / folder)}", path


def version_of(root):
    return re.search(r"project\(gpx VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]


def metadata(version, root):
    return (
        f"Metadata-Version: 2.1\nName: gpx\nVersion: {version}\n"
        "Summary: A language and a virtual GPU to find out how GPUs work\nLicense: MIT\n"
        "Requires-Python: >=3.10\nProvides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\n"
        "Provides-Extra: arrow\nRequires-Dist: pyarrow; extra == 'arrow'\n"
        "Description-Content-Type: text/markdown\n\n" + (root / "docs" / "python.md").read_text()
    )


class Wheel:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.records = []

    def add(self, name, data):
        # The same contents make the same wheel.
        info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        info.external_attr = 0o644 << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self, info):
        self.records.append(f"{info}/RECORD,,\n")
        self.zip.writestr(zipfile.ZipInfo(f"{info}/RECORD", (2020, 1, 1, 0, 0, 0)),
                          "".join(self.records))
        self.zip.close()


def main():
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    version = version_of(root)
    tag = "cp310-abi3-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    path = build / f"gpx-{version}-{tag}.whl"
    info = f"gpx-{version}.dist-info"
    wheel = Wheel(path)
    for name, source in files(root, build):
        wheel.add(name, source.read_bytes())
    wheel.add(f"{info}/METADATA", metadata(version, root).encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: gpx\nRoot-Is-Purelib: false\n"
              f"Tag: {tag}\n".encode())
    wheel.add(f"{info}/LICENSE", (root / "LICENSE").read_bytes())
    wheel.close(info)
    print(f"{path} ({path.stat().st_size >> 10} KB, for {platform.libc_ver()[0]} "
          f"{platform.libc_ver()[1]} and later)")


if __name__ == "__main__":
    main()
