"""Tests tools/check-doubles.py on the machine code of a few kernels."""

import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/check-doubles.py")

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
            run = subprocess.run([sys.executable, SCRIPT, path, *options], capture_output=True, text=True, check=False)
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
