"""Compares reports as dictionaries with the JSON and CSV of the same run."""

import csv
import inspect
import json

from programs import ProgramTest, h5py, np, unittest  # first: it finds the package

import vox


class Types(unittest.TestCase):
    """Type checkers read the annotations of the sources (py.typed)."""

    def test_everything_public_states_its_types(self):
        for name in vox.__all__:
            item = getattr(vox, name)
            members = [(name, item)]
            if inspect.isclass(item):
                members = [(f"{name}.{key}", getattr(member, "fget", member)) for key, member in inspect.getmembers(item)
                           if not key.startswith("_") or key in ("__init__", "__getitem__")]
            for where, function in members:
                if not inspect.isfunction(function) or not function.__module__.startswith("vox"):
                    continue
                signature = inspect.signature(function)
                bare = [key for key, parameter in signature.parameters.items()
                        if parameter.annotation is inspect.Parameter.empty and key != "self"]
                self.assertEqual(bare, [], where)
                if not where.endswith("__init__"):
                    self.assertIsNot(signature.return_annotation, inspect.Signature.empty, where)


class Reports(ProgramTest):
    def test_columns_are_those_of_the_csv(self):
        self.run_program("vox-bench", "hash", "--item-words", "4", "--fill", "2K", "--batch", "1K", "-o", "r.h5", "--csv",
                         "r.csv", "-q")
        rows = vox.report(self.path("r.h5"))["hash"]["rows"]
        with open(self.path("r.csv"), encoding="utf-8") as file:
            expected = list(csv.DictReader(file))
        self.assertGreater(len(expected), 5)
        self.assertEqual(rows["table"].tolist(), [row["table"] for row in expected])
        np.testing.assert_allclose(rows["ms"], [float(row["ms"]) for row in expected], rtol=1e-4)
        self.assertEqual(rows.units["ms"], "ms")
        self.assertNotIn("table", rows.units)

    def test_values_groups_and_paths_are_those_of_the_file(self):
        self.write_mesh()
        self.convert("mesh.obj", "--res", "40", "-o", "a.h5")
        told = json.loads(self.run_program("vox-stats", "a.h5", "--json", "-o", "stats.h5", "-q"))
        report = vox.report(self.path("stats.h5"))
        self.assertEqual(report["format"], "vox-report")
        self.assertEqual(report["levels/side"].tolist(), [level["side"] for level in told["levels"]])
        self.assertEqual(report["levels"].units["bytes"], "bytes")
        names, units, count = set(), {}, 0

        def visit(path, item):
            nonlocal count
            for name in item.attrs:
                if name.endswith("_unit"):
                    units[f"{path}/{name[:-5]}".strip("/")] = item.attrs[name].decode()
                elif name != "unit":
                    names.add(f"{path}/{name}".strip("/"))
                    count += 1
            if isinstance(item, h5py.Dataset):
                names.add(path)
                count += 1

        with h5py.File(self.path("stats.h5")) as file:
            visit("", file)
            file.visititems(visit)
            self.assertEqual(len(names), count)  # no column hides a value
            for name in names:
                found = report[name]
                self.assertIsInstance(found, (str, np.ndarray, np.generic), name)
                if name in file:
                    values = file[name].asstr()[()] if file[name].dtype.kind == "S" else file[name][()]
                    np.testing.assert_array_equal(found, values)
        self.assertGreater(len(units), 5)
        for name, unit in units.items():
            group, _, last = name.rpartition("/")
            self.assertEqual((report[group] if group else report).units[last], unit)
        self.assertRaisesRegex(KeyError, "none: there are", lambda: report["none"])
        self.assertRaisesRegex(KeyError, "none: there are", lambda: report["levels/none"])


if __name__ == "__main__":
    unittest.main()
