#!/usr/bin/env bash
# Sets up, builds and runs the whole way on real data: Fashion-MNIST (Debian's package), pixels as embeddings.
# Half of the training images, long-tailed, is the private set; the other half, without labels, is the public pool.
set -euo pipefail
cd "$(dirname "$0")"
scripts/setup.sh --demo
scripts/build.sh release dppl_cli
dppl=$PWD/build/dppl
mkdir -p demo
cd demo

images=/usr/share/datasets/fashion-mnist
half=30000

# npy FILE SHAPE: the header of a uint8 array, then standard input. (An IDX file is a short header and the same bytes.)
npy() {
  local header="{'descr': '|u1', 'fortran_order': False, 'shape': ($2), }"
  { printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header"; cat; } >"$1"
}
pixels() { zcat "$images/$1-images-idx3-ubyte.gz" | tail -c +17; }
labels() { zcat "$images/$1-labels-idx1-ubyte.gz" | tail -c +9; }
pixels train | { head -c $((half * 784)) && cat >/dev/null; } | npy pool-x.npy "$half, 784"
pixels train | tail -c $((half * 784)) | npy train-x.npy "$half, 784"
labels train | tail -c "$half" | npy train-y.npy "$half,"
pixels t10k | npy test-x.npy "10000, 784"
labels t10k | npy test-y.npy "10000,"
printf '%s\n' T-shirt Trouser Pullover Dress Coat Sandal Shirt Sneaker Bag 'Ankle boot' >classes.txt

"$dppl" longtail --labels train-y.npy --ratio 100 --seed 1 -o rows.npy
rm -f demo.ledger
"$dppl" ledger init --ledger demo.ledger --dataset fashion --rho 1

printf '\n%-34s %9s %9s %9s   %s\n' 'Fashion-MNIST, long tail 1:100' accuracy balanced minority guarantee
# run NAME GUARANTEE OPTION...: fits, evaluates, prints a row.
run() {
  local name=$1 guarantee=$2
  shift 2
  "$dppl" fit "$@" --train train-x.npy --labels train-y.npy --rows rows.npy --classes classes.txt --pool pool-x.npy \
    --ledger demo.ledger --dataset fashion -o "$name.dppl" >/dev/null
  "$dppl" eval "$name.dppl" --in test-x.npy --labels test-y.npy --train-labels train-y.npy --rows rows.npy |
    awk -v name="$name" -v guarantee="$guarantee" '
      /^accuracy/ { a = $2 } /^balanced/ { b = $3 } /^minority/ { m = $3 }
      END { printf "%-34s %9s %9s %9s   %s\n", name, a, b, m, guarantee }'
}
run public-epsilon-0.5 '0.5-DP' --method public --epsilon 0.5 --clip-min 1.5 --clip-max 1.9
run public-epsilon-1 '1-DP' --method public --epsilon 1 --clip-min 1.5 --clip-max 1.9
run public-k-epsilon-1 '1-DP' --method public-k --k 5 --epsilon 1 --clip-min 1.5 --clip-max 1.9
run mean-rho-0.005 '0.005-zCDP' --method mean --transform whiten:32 --rho 0.005
run mean-rho-0.02 '0.02-zCDP' --method mean --transform whiten:64 --rho 0.02
run auto-rho-0.125 '0.125-zCDP' --method auto --rho 0.125
echo
"$dppl" ledger show --ledger demo.ledger
echo
"$dppl" inspect mean-rho-0.02.dppl
