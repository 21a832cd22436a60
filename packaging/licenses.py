"""Writes the licenses of all crates that the program for Linux contains: `licenses.py FILE`.

Every crate is named with its version, its license and its source. The texts that crates ship follow, each once. A crate
whose license is not in the list below, or that names none, ends the script, so that nobody ships it unread. (MPL-2.0 asks for
the address of the unchanged source, which the list has.)
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

TARGET = "x86_64-unknown-linux-gnu"
ACCEPTED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT",
    "MIT-0", "MPL-2.0", "OFL-1.1", "Ubuntu-font-1.0", "Unicode-3.0", "Unlicense", "Zlib",
}
TEXTS = re.compile(r"(?i)^(licen[cs]e|copying|copyright|notice|unlicense)")


def is_accepted(expression):
    """Whether one alternative of an SPDX expression, or of the old form with slashes, is accepted as a whole."""
    expression = expression.replace("/", " OR ").replace("(", " ( ").replace(")", " ) ")
    parts = re.split(r"(\bOR\b|\bAND\b|[()])", expression)
    python = {"OR": "or", "AND": "and", "(": "(", ")": ")", "": ""}
    words = [python.get(part.strip(), str(part.strip() in ACCEPTED)) for part in parts]
    return eval(" ".join(words), {"__builtins__": {}})  # only True, False, and, or and brackets


def crates():
    """The packages that are linked into the program, by name."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET]
    data = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in data["packages"]}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    root = data["resolve"]["root"]
    found, left = set(), [root]
    while left:
        for dependency in nodes[left.pop()]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_linked and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                left.append(dependency["pkg"])
    return sorted((packages[name] for name in found), key=lambda package: (package["name"], package["version"]))


def main():
    lines, texts, refused = ["Nearwater contains these libraries:", ""], {}, []
    for package in crates():
        name = f"{package['name']} {package['version']}"
        if not is_accepted(package["license"] or ""):
            refused.append(f"{name} ({package['license']})")
        folder = Path(package["manifest_path"]).parent
        files = [path for path in sorted(folder.iterdir()) if TEXTS.match(path.name) and path.is_file()]
        lines.append(f"{name}: {package['license']}, {package['repository'] or package['homepage'] or 'no address'}")
        for path in files:
            text = path.read_text(errors="replace").strip()
            key = hashlib.sha256(" ".join(text.split()).encode()).digest()
            texts.setdefault(key, (text, []))[1].append(name)
    if refused:
        sys.exit("licenses that packaging/licenses.py does not list: " + ", ".join(refused))
    for text, users in texts.values():
        lines += ["", "=" * 80, "Text of " + ", ".join(users), "-" * 80, "", text]
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
