#!/bin/sh
# Run a participant's algorithm on the hidden inputs, and collect predictions.csv.
#
#   run_algorithm.sh IMAGE MODEL OUTPUT NAME SECONDS
#
# IMAGE and MODEL ("" for none) are archives, OUTPUT is an empty folder.  Inputs are the folders
# input/ID/, mounted as /input one after another; of each run, /output/prediction.json is a number.
# Exit code 75: not the algorithm's fault, try again later; 124: took too long; other: it failed.
image=$1 model=$2 output=$3 name=$4 seconds=$5
inputs=$(pwd)/input
began=$(date +%s)

# Left over if the loop was killed.
docker rm --force "$name" >/dev/null 2>&1
tag=$(docker load --quiet --input "$image" | sed -n 's/^Loaded image[^:]*: //p' | tail -n 1)
[ -n "$tag" ] && [ -d "$inputs" ] || exit 75
mkdir "$output/model" || exit 75
[ -z "$model" ] || tar --extract --file "$model" --directory "$output/model" || exit 75

echo id,prediction >"$output/predictions.csv"
for input in "$inputs"/*/; do
    id=$(basename "$input")
    mkdir -p -m 777 "$output/items/$id" || exit 75
    left=$((seconds + began - $(date +%s)))
    [ "$left" -gt 0 ] || exit 124
    timeout --kill-after=10 "$left" \
        docker run --rm --name "$name" --network none --cap-drop ALL \
        --security-opt no-new-privileges --memory 8g --pids-limit 512 \
        --volume "$inputs/$id":/input:ro --volume "$output/items/$id":/output \
        --volume "$output/model":/opt/ml/model:ro "$tag"
    code=$?
    docker rm --force "$name" >/dev/null 2>&1
    case $code in
    0) ;;
    # Docker itself, not the algorithm.
    125) exit 75 ;;
    124 | 137) [ "$(date +%s)" -lt "$((began + seconds))" ] && exit 1 || exit 124 ;;
    *) exit 1 ;;
    esac
    # A link could lead to any file of this machine.
    found="$output/items/$id/prediction.json"
    [ -f "$found" ] && [ ! -L "$found" ] || exit 1
    printf '%s,%s\n' "$id" "$(head -c 100 "$found" | tr -d ',\000-\037')" >>"$output/predictions.csv"
done
docker image rm --force "$tag" >/dev/null 2>&1
exit 0
