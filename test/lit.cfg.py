# Configuration of the lit suites. What depends on the build directory is in
# lit.site.cfg.py, which CMake writes from lit.site.cfg.py.in.
import os

import lit.formats
from lit.llvm import llvm_config

config.name = "lossgrad"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".td", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "unit", "fuzz", "bench"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.lossgrad_obj_root, "test")

llvm_config.with_system_environment(["HOME", "TMP", "TEMP"])
llvm_config.use_default_substitutions()

# A variable of one CHECK-LABEL block must not leak into the next, and a prefix
# that no line uses is a mistake.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"

llvm_config.with_environment("PATH", config.lossgrad_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
config.substitutions.append(("%source_root", config.lossgrad_src_root))
config.substitutions.append(("%python", config.python_executable))

# Features turn on tests of what may be absent. A test that needs one says so
# with REQUIRES, and lit counts it as unsupported.
for name in sorted(os.listdir(config.lossgrad_tools_dir)):
    if name.startswith("lossgrad-"):
        config.available_features.add(name)
if config.have_torch:
    config.available_features.add("torch")
