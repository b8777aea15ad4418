#!/bin/bash
# containers.sh: builds the image and runs docker-compose.yml, both unchanged, on a Docker engine of our own.
# The environment names $project, a copy of this project; $before, the version before, if any; $node, a binary for the
# images; $work and $kept, folders of this run and of downloads. scripts/test-containers.mjs sets them.
set -euo pipefail
here=$project/test/containers
directory=$project group=mailbeacon-containers-$$ began=$SECONDS
engine= network= inner= passed=0 failed=0
. "$here/engine.sh"
. "$here/images.sh"
. "$here/steps.sh"
trap stop_engine EXIT

step() { printf '%4d s  %s\n' $((SECONDS - began)) "$*"; }
check() { # a name, then a command that must succeed
  local name=$1
  shift
  if "$@" > "$work/check.log" 2>&1; then
    passed=$((passed + 1))
    step "ok      $name$(sed -n 's/^> / · /p' "$work/check.log")"
  else
    failed=$((failed + 1))
    step "FAILED  $name"
    tail -20 "$work/check.log"
  fi
}

unpack_engine
start_engine
step "Docker $(docker version --format '{{.Server.Version}}') runs"
make_base_images
step 'The base images are made'
build_image "$project" mailbeacon:now
step 'The image is built'
[ -z "$before" ] || build_image "$before" mailbeacon:before
[ -z "$before" ] || step 'The image before is built'
cut_network
docker tag mailbeacon:now mailbeacon

check 'the image is smaller than 250 MB' small 250
check 'it holds no development package, no npm, no source and no cache' lean
check 'docker compose up: every container becomes healthy, without a network' compose up -d --wait --wait-timeout 240
check 'an organization, by the command line' organization
check 'an email arrives; its open and its click are counted' client send one
check 'no rights: uid 1000, no capability, a read-only root' unprivileged
check 'settings of .env reach the roles, secrets of the provider not tracking' settings_arrive
check 'the port of operators is not published' client closed 9464
check 'mail over SMTP is accepted with a certificate, and arrives' over_smtp three
check 'the worker stops' compose stop worker
check 'an email is accepted meanwhile' client accept two
check 'the worker starts' compose start worker
check 'the email is delivered once' client arrive two
check 'Redis stops' compose stop redis
check 'emails are accepted while Redis is away, for half a minute' away
check 'the API stays healthy without Redis' healthy api
check 'Redis starts' compose start redis
check 'they are delivered' client arrive away-1

check 'two of each role start' two_of_each up -d --wait --wait-timeout 240
check 'every role restarts, one container after the other, under traffic' under_traffic rolled restart_each

check 'one of each role runs again' compose up -d --wait --wait-timeout 240
check 'an email before the backup' client send kept
check 'a backup is taken, and Postgres, Redis and the spool are lost' lose_all_but_a_backup
check 'the backup is restored' restore
check 'the email is there, and its links count on' client continue kept
check 'further emails arrive' client send restored

check 'everything stops' compose stop
check 'every container ended with code 0 and was never restarted' ended_well
check 'docker compose down' compose down --volumes

if [ -n "$before" ]; then
  directory=$before
  docker tag mailbeacon:before mailbeacon
  check 'the version before starts, with two of each role' two_of_each up -d --wait --wait-timeout 240
  check 'an organization of that version' organization
  directory=$project
  docker tag mailbeacon:now mailbeacon
  check 'every role is upgraded under traffic' under_traffic upgraded upgrade_each
  check 'one of each role runs again' compose up -d --wait --wait-timeout 240
  check 'an email arrives; its open and its click are counted' client send afterwards
  check 'docker compose down' compose down --volumes
else
  step 'Skipped: no version before is known here'
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
