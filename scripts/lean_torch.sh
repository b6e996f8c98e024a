# SPDX-License-Identifier: Apache-2.0
# PyTorch for measurements on processors: the official wheel without the CUDA packages that it depends on. Bash; to be sourced.
#
#   lean_torch FOLDER     creates a virtual environment with torch 2.15 in FOLDER, unless it is there already
#   full_torch FOLDER     the same with all dependencies of the wheel (5.4 GB), as users have it
#
# The wheel is linked with CUDA's libraries and cannot be imported without them. With them it takes 5.4 GB, without them 1.3 GB.
# So only torch and its Python dependencies are installed, and each CUDA library that it needs is replaced by a stub whose functions
# return cudaErrorNoDevice. The code that runs on the processor is the wheel's own.

lean_torch_version=2.15.0

lean_torch() {
  local folder=$1
  imports_torch "$folder" && return
  rm -rf "$folder"
  python3 -m venv "$folder" &&
    "$folder/bin/pip" install --quiet --no-deps "torch==$lean_torch_version" &&
    "$folder/bin/pip" install --quiet typing-extensions filelock sympy networkx jinja2 fsspec numpy &&
    stub_cuda "$folder"/lib/python3*/site-packages/torch/lib &&
    imports_torch "$folder"
}

# It can be imported without a GPU, but imports more slowly and uses more memory than the lean one.
full_torch() {
  local folder=$1
  imports_torch "$folder" && return
  rm -rf "$folder"
  python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --no-cache-dir "torch==$lean_torch_version" numpy &&
    imports_torch "$folder"
}

# Also calls is_current_stream_capturing(), which Transformers calls in every forward pass: it must be an error, not a crash.
imports_torch() {
  "$1/bin/python" -c 'import contextlib, torch.distributed
with contextlib.suppress(RuntimeError): torch.cuda.is_current_stream_capturing()' 2>/dev/null
}

# Prints the libraries in folder $1 that may be linked with CUDA.
linked_with_cuda() { find "$1" -maxdepth 1 -name 'lib*.so' ! -name libmusterstub.so | sort; }

stub_cuda() (
  cd "$1" || exit
  scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
  mapfile -t libraries < <(linked_with_cuda .)
  nm -D --undefined-only "${libraries[@]}" 2>/dev/null | awk '$1 == "U" {sub(/@.*/, "", $2); print $2}' |
    grep -E '^(cu|nv|nccl|__cuda|Cu)' | sort -u | stub_functions >"$scratch/all.c"
  gcc -shared -fPIC -w -fno-builtin -Wl,-soname,libmusterstub.so -o libmusterstub.so "$scratch/all.c" || exit
  readelf -d "${libraries[@]}" 2>/dev/null | sed -n 's/.*NEEDED.*\[\(lib\(cu\|nccl\|nv\).*\)\]/\1/p' | sort -u |
    while read -r name; do
      [[ -e $name ]] || stub_library "$name" "$scratch"
    done
)

# Prints C code of functions with the names on stdin. They return cudaErrorNoDevice; those that describe errors return a text.
stub_functions() {
  sed -E -e 's/.*(ErrorString|ErrorName|StatusString)$/const char *&(void) { return "no CUDA here"; }/; t' \
    -e 's/.*/int &(void) { return 100; }/'
}

# Creates a library called $1. If its users need symbol versions, it defines the functions itself; otherwise it depends on
# libmusterstub.so.
stub_library() {
  readelf -V "${libraries[@]}" 2>/dev/null |
    awk -v file="$1" '/Version:.*File: / {inside = ($0 ~ "File: " file " ")} inside && /Name:/ {print $3}' | sort -u |
    sed 's/.*/& { global: *; };/' >"$2/versions"
  if [[ -s $2/versions ]]; then
    gcc -shared -fPIC -w -fno-builtin -Wl,-soname,"$1" -Wl,--version-script,"$2/versions" -o "$1" "$2/all.c"
  else
    gcc -shared -fPIC -x c /dev/null -Wl,-soname,"$1" -Wl,--no-as-needed -L. -l:libmusterstub.so \
      -Wl,-rpath,'$ORIGIN' -o "$1"
  fi
}
