"""Breaks the rules of tools/check-rooms.py one by one, in a tree of four files, and tests tools/check-doubles.py on the machine
code of a few kernels. An argument names one of the two classes of tests."""

import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/check-rooms.py")
DOUBLES = SCRIPT.replace("check-rooms.py", "check-doubles.py")

SOUND = {
    "libvox/base/vec.h": "namespace vox {\nstruct Vec {};\nnamespace detail {\nstruct Part {};\n}\n}  // namespace vox\n",
    "libvox/dag/node.h": '#include "libvox/base/vec.h"\nnamespace vox::dag {\nstruct Node;\nstruct Node { struct Part {}; };\n'
                         "template <class T>\nstruct Walk {};\ntemplate <>\nstruct Walk<Node> {};\n}  // namespace vox::dag\n",
    "formats/scene/scene_file.cpp": '#include "libvox/dag/node.h"\nnamespace vox {\nnamespace {\nstruct Node {};\n}\n}\n',
    "tools/vox-edit/main.cpp": '#include "formats/scene/scene_file.h"\nconst char* text = "--verify";  // struct Vec {};\n',
}


class CheckRooms(unittest.TestCase):
    def check(self, **changes):
        """Returns the script's exit code and messages for the tree above with these files replaced or added."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**SOUND, **changes.get("files", {})}.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            run = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
        return run.returncode, run.stderr

    def expect_breach(self, path, text, expected):
        code, messages = self.check(files={path: text})
        self.assertEqual(code, 1)
        self.assertEqual(messages.count("\n"), 1, messages)
        self.assertIn(expected, messages)

    def test_a_house_in_order_passes(self):
        self.assertEqual(self.check(), (0, ""))

    def test_an_include_that_goes_up_is_found(self):
        self.expect_breach("libvox/scene/scene.h", '\n#include "libvox/dag/node.h"\n',
                           "libvox/scene/scene.h:2: libvox/scene includes libvox/dag/node.h, which comes after it")

    def test_the_library_includes_no_format(self):
        self.expect_breach("libvox/measure/run.h", '#include "formats/scene/scene_file.h"\n', "which comes after it")

    def test_the_c_interface_and_the_tools_include_nothing_of_each_other(self):
        self.expect_breach("capi/scenes.cpp", '#include "tools/vox-edit/options.h"\n', "stand beside each other")
        self.expect_breach("tools/vox-edit/run.cpp", '#include "capi/vox.h"\n', "which comes after it")

    def test_an_include_that_does_not_begin_at_the_root_is_found(self):
        self.expect_breach("libvox/dag/walk.h", '#include "node.h"\n', "by their paths from the root")

    def test_a_device_of_any_kind_is_found_in_one_file_of_a_room(self):
        call = "namespace vox::dag {\nvoid run() { device::with_device(handle, f); }\n}\n"
        self.expect_breach("libvox/dag/walk.cpp", call, "only in a room's on_device.cpp")
        self.assertEqual(self.check(files={"libvox/dag/on_device.cpp": call}), (0, ""))

    def test_a_room_without_a_place_is_found(self):
        self.expect_breach("libvox/attic/box.h", "\n", "has no place in the order")

    def test_code_in_the_namespace_of_another_room_is_found(self):
        self.expect_breach("libvox/dag/walk.h", "namespace vox {\nint walk();\n}\n", "namespace vox in a file of another room")
        self.expect_breach("libvox/dag/walk.h", "namespace vox::hash {\nint walk();\n}\n", "its code is in vox::dag")
        self.expect_breach("formats/walk.h", "namespace vox::dag {\nint walk();\n}\n", "belongs to libvox/dag")

    def test_a_type_of_another_room_may_be_named(self):
        text = "namespace vox::dag {\nstruct Node;\n}  // namespace vox::dag\n\nnamespace vox::edit {\n}\n"
        self.assertEqual(self.check(files={"libvox/edit/edit.h": text}), (0, ""))

    def test_two_types_of_one_name_are_found(self):
        self.expect_breach("libvox/dag/leaf.h", "namespace vox::dag {\nclass Node final {};\n}\n",
                           "vox::dag::Node is a type of libvox/dag/leaf.h too")
        self.expect_breach("libvox/engine/engine.h", "namespace vox {\nenum class Vec : int { X };\n}\n",
                           "vox::Vec is a type of libvox/base/vec.h too")
        self.expect_breach("libvox/base/part.h", "namespace vox::detail {\nstruct Part : Vec {};\n}\n",
                           "vox::detail::Part is a type of libvox/base/part.h too")

    def test_two_types_of_one_name_in_two_namespaces_of_the_library_are_found(self):
        self.expect_breach("libvox/hash/node.h", "namespace vox::hash {\nstruct Node {};\n}\n", "has the name of vox::")

    def test_a_file_of_too_many_lines_is_found(self):
        self.expect_breach("libvox/dag/long.h", "\n" * 451, "451 lines are more than 450")

    def test_a_comment_that_is_a_fragment_is_found(self):
        self.expect_breach("libvox/dag/walk.h", "\n// Of what this owns.\n", 'a comment begins with "Of"')
        self.assertEqual(self.check(files={"libvox/dag/walk.h": "// The nodes\n// Of course they count.\n"}), (0, ""))

    def test_types_of_one_name_in_two_programs_are_found(self):
        text = "namespace vox {\nstruct Options {};\n}\n"
        code, message = self.check(files={"tools/vox-edit/options.h": text, "tools/vox-stats/options.h": text})
        self.assertEqual(code, 1)
        self.assertIn("vox::Options is a type of tools/vox-edit/options.h too", message)

    def test_a_type_of_tests_with_a_name_of_the_library_is_found(self):
        text = "namespace vox {\nstruct Vec {};\n}\n"
        self.expect_breach("tests/dag/dense.h", text, "vox::Vec is a type of libvox/base/vec.h too")

    def test_an_option_in_a_string_of_the_library_is_found(self):
        self.expect_breach("libvox/dag/load.cpp", '// --verify says more\nauto text = "try --verify";\n',
                           "libvox/dag/load.cpp:2: --verify is an option of a tool")

    def test_braces_and_quotes_in_text_do_not_confuse(self):
        text = "namespace vox::dag {\nchar a = '{', b = '\"'; int c = 1'000'000;\nauto d = R\"(})\";\nstruct Node {};\n}\n"
        self.expect_breach("libvox/dag/odd.h", text, "vox::dag::Node is a type of")


WRITE = "_ZN3vox6device12cuda_kernels8for_eachINS_8voxelize11WriteLeavesINS3_7NoPaintEEEEEvmT_"
PREPARE = "_ZN3vox6device12cuda_kernels8for_eachINS_8voxelize14PrepareShadingEEEvmT_"


def kernel(name, *instructions):
    lines = [f"        /*{16 * i:04x}*/    @P0 {text} ;    /* 0x00 */" for i, text in enumerate(instructions)]
    return "\n".join([f"\t\tFunction : {name}", *lines, "\t\t.........."]) + "\n"


class CheckDoubles(unittest.TestCase):
    def check(self, text, *options):
        """Returns the script's exit code, its output and its messages."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "libvox.sass")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            run = subprocess.run([sys.executable, DOUBLES, path, *options], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout, run.stderr

    def test_each_instruction_of_double_precision_is_found(self):
        for text in ("DADD R2, R4, R6", "DMUL R2, R4, R6", "DFMA R2, R4, R6, R2", "DSETP.GEU.AND P0, PT, R2, R4, PT",
                     "F2F.F64.F32 R2, R4", "F2F.F32.F64 R2, R4", "I2F.F64.S64 R2, R4", "F2I.S64.F64.TRUNC R2, R4",
                     "MUFU.RCP64H R3, R5", "MUFU.RSQ64H R3, R5"):
            code, _, messages = self.check(kernel(WRITE, "IADD3 R1, R2, R3, RZ", text))
            self.assertEqual((code, messages.count("\n")), (1, 1), text)
            self.assertIn(WRITE, messages)

    def test_integers_and_floats_are_free(self):
        text = kernel(WRITE, "FADD R1, R2, R3", "I2F.U64.RP R2, R4", "F2I.U64.TRUNC R2, R4", "MUFU.RCP R1, R2",
                      "IMAD.WIDE R2, R4, R6, R2", "HADD2.F32 R1, -RZ, R2.H0_H0", "I2F.S64 R2, R4")
        self.assertEqual(self.check(text, "--list"), (0, "", ""))

    def test_what_runs_once_a_triangle_may_have_them(self):
        text = kernel(PREPARE, "DADD R2, R4, R6", "DADD R2, R4, R6", "DMUL R2, R4, R6")
        self.assertEqual(self.check(text), (0, "", ""))
        code, listed, _ = self.check(text, "--list")
        self.assertEqual(code, 0)
        self.assertIn(f"3 {PREPARE}: 2 DADD, 1 DMUL (runs once a triangle)", listed)

    def test_a_library_without_kernels_is_an_error(self):
        code, _, messages = self.check("no kernel here\n")
        self.assertEqual(code, 1)
        self.assertIn("no kernel in", messages)


if __name__ == "__main__":
    unittest.main()
