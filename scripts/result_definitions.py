"""What the files in src/muster/reproduce/experiments say should be run and compared, by the names that summaries have."""
import pathlib
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "muster" / "reproduce" / "experiments"


def full_name(part, text, sweep, value):
    """As muster::full_name makes it."""
    return (part + ": " if part else "") + text + ("" if value is None else f", {sweep} = {value:g}")


class Definition:
    def __init__(self, path):
        self.name = path.stem
        self.toml = tomllib.loads(path.read_text())
        self.sweep = self.toml.get("sweep", {})
        self.values = self.sweep.get("values", [None])
        self.parts = [part["name"] for part in self.toml.get("part", [])] or [""]
        self.methods = {method["name"]: method for method in self.toml.get("method", [])}

    def row(self, part, text, value):
        return full_name(part, text, self.sweep.get("name"), value)

    def results(self):
        """Name of each result -> its recipe."""
        out = {}
        for part in self.parts:
            for value in self.values:
                for method in self.methods.values():
                    if value is not None and method.get("at", [value]).count(value) == 0:
                        continue
                    recipe = method["recipe"].replace("{%s}" % self.sweep.get("name"), f"{value:g}" if value is not None else "")
                    out[self.row(part, method["name"], value)] = recipe
        return out

    def figure(self, method, part, value):
        """What the paper prints, as it stands in the file; None if it does not."""
        paper = self.methods[method].get("paper")
        if isinstance(paper, dict):
            paper = paper.get(part)
        if isinstance(paper, list):
            paper = paper[self.values.index(value)]
        return None if paper == "-" else paper

    def judged_rows(self):
        """Names of the rows that get a verdict on the paper's data."""
        results, out = self.results(), []
        for part in self.parts:
            for method in self.methods:
                out += [self.row(part, method, value) for value in self.values
                        if self.figure(method, part, value) is not None and self.row(part, method, value) in results]
        for claim in self.toml.get("claim", []):
            if claim.get("ours"):
                continue
            for part in self.parts:
                if claim.get("part", part) == part:
                    out += [self.row(part, claim.get("text", f"{claim['of']} over {claim['over']}"), value) for value in self.values
                            if self.asks(claim, part, value, results)]
        return out

    def asks(self, claim, part, value, results):
        over_at = claim.get("over_at", value)
        if claim.get("at", value) != value or self.row(part, claim["of"], value) not in results or self.row(part, claim["over"], over_at) not in results:
            return False
        return "at_least" in claim or (self.figure(claim["of"], part, value) is not None and self.figure(claim["over"], part, value) is not None)

    def differences(self, record):
        """What a summary has that the file does not ask for, one sentence each: it was measured under another definition."""
        wanted, out = self.results(), []
        for result in record["results"]:
            recipe = wanted.get(result["method"])
            if recipe is None:
                out.append(f"{self.name}: '{result['method']}' is not one of its methods")
            elif "/" in recipe and recipe != result["recipe"]:
                out.append(f"{self.name}: '{result['method']}' was measured with {result['recipe']}, the file says {recipe}")
        return out


def definitions():
    return {path.stem: Definition(path) for path in sorted(FOLDER.glob("*.toml")) if path.stem != "data"}
