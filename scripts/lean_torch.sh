# A PyTorch for measuring on processors: the official wheel without the gigabytes of CUDA it asks for. Sourced by
# scripts/bench. Bash.
#
#   lean_torch FOLDER     a virtual environment with torch 2.15 there; quick when it is there already
#   full_torch FOLDER     the same with all that the wheel asks for, 5.4 GB: what users have
#
# The wheel on the registry is linked against CUDA's libraries and does not even import without them; with them it takes
# 5.4 GB, without 1.3. So nothing but torch and its Python is installed, and every CUDA library that it names becomes a
# stub whose functions all answer cudaErrorNoDevice. What runs on the processor, which is all that is measured, is the
# wheel's own code.

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

# It imports without a GPU, and then is slower to import and larger: what is measured of memory differs.
full_torch() {
  local folder=$1
  imports_torch "$folder" && return
  rm -rf "$folder"
  python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --no-cache-dir "torch==$lean_torch_version" numpy &&
    imports_torch "$folder"
}

# Transformers asks in every forward whether a graph is being captured: an error, which older stubs did not survive.
imports_torch() {
  "$1/bin/python" -c 'import contextlib, torch.distributed
with contextlib.suppress(RuntimeError): torch.cuda.is_current_stream_capturing()' 2>/dev/null
}

# Every library in folder $1 that is linked against CUDA, whichever of them this version has.
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

# C of functions with the names on stdin: all say that there is no device, and those that explain errors return a text.
stub_functions() {
  sed -E -e 's/.*(ErrorString|ErrorName|StatusString)$/const char *&(void) { return "no CUDA here"; }/; t' \
    -e 's/.*/int &(void) { return 100; }/'
}

# A library called $1: its functions where their users ask for versions of them, which a stub must define; else a
# pointer to libmusterstub.so.
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
