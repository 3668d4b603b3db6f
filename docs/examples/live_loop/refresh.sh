#!/bin/sh
# Records live answers anew, and leaves them on a branch as one commit, with the text for whoever reviews it:
# what the providers changed, what it cost, and the verdicts before and after. Nothing is pushed; the last lines say how.
#
#   GEMINI_API_KEY=... OPENAI_API_KEY=... ANTHROPIC_API_KEY=... sh refresh.sh [ID OR OPTION OF bridgecheck refresh]...
#
# A provider is asked where the variable of its key is set. Options are handed on: --max-usd 2, a glob such as 'tools/*',
# --resume behind a run that was interrupted, --adapter for whose verdicts count.
#
#   LIVE_FOLDER     folder of the recordings below this checkout: live
#   LIVE_CHANGE     where the text for the reviewer is written: live-change.md, which is not committed
#   BRIDGECHECK     the command: bridgecheck
#   GEMINI_URL, OPENAI_URL, ANTHROPIC_URL   the providers' own addresses
#
# Exit codes: those of bridgecheck refresh (0 everything was recorded, 2 refused at start, 3 something was not).
# With 0 and 3 there is a branch, unless nothing was recorded.
set -eu

folder="${LIVE_FOLDER:-live}"
change="${LIVE_CHANGE:-live-change.md}"
command="${BRIDGECHECK:-bridgecheck}"

if [ -n "$(git status --porcelain -- "$folder")" ]; then
  echo "refresh.sh: $folder has changes that are not committed; commit or stash them first" >&2
  exit 2
fi

add_provider() { # DIALECT VARIABLE URL
  if [ -n "$(printenv "$2" || true)" ]; then
    providers="$providers --live $1=$3 --key-env $1=$2"
  fi
}
providers=""
add_provider gemini GEMINI_API_KEY "${GEMINI_URL:-https://generativelanguage.googleapis.com}"
add_provider openai-chat OPENAI_API_KEY "${OPENAI_URL:-https://api.openai.com}"
add_provider anthropic ANTHROPIC_API_KEY "${ANTHROPIC_URL:-https://api.anthropic.com}"
if [ -z "$providers" ]; then
  echo "refresh.sh: no key is set: GEMINI_API_KEY, OPENAI_API_KEY or ANTHROPIC_API_KEY" >&2
  exit 2
fi

code=0
rm -f -- "$change"
# shellcheck disable=SC2086  # the providers are options, one word each
$command refresh --out "$folder" --missing $providers --change "$change" "$@" || code=$?
if [ ! -f "$change" ]; then
  exit "$code"
fi
if [ -z "$(git status --porcelain -- "$folder")" ]; then
  echo "refresh.sh: what was recorded is what was there; no branch is made"
  exit "$code"
fi

branch="live-$(date -u +%Y-%m-%d-%H%M%S)"
git switch --quiet --create "$branch"
git add -- "$folder"
sed -e '1s/^# //' "$change" | git commit --quiet --cleanup=whitespace --file -
echo "refresh.sh: branch $branch, one commit: $(git log -1 --format=%s)"
echo "  look:  git show --stat $branch"
echo "  open:  git push origin $branch && gh pr create --head $branch --title \"\$(sed -n '1s/^# //p' $change)\" --body-file $change"
exit "$code"
