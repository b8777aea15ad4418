# What containers.sh checks.

compose() { docker compose --progress quiet -p mailbeacon "$@"; }
two_of_each() { compose -f docker-compose.yml -f "$here/two-of-each.yml" "$@"; }
client() { in_engine env WORK="$work" "$node" "$here/client.mjs" "$@"; }
bare() { docker run --rm --network none mailbeacon:now "$@"; }

small() {
  local size
  size=$(docker image inspect mailbeacon:now --format '{{.Size}}')
  echo "> $((size / 1000000)) MB"
  [ "$size" -lt "$1"000000 ]
}

lean() {
  bare sh -c '! ls -d node_modules/{jest,eslint,typescript,@nestjs,@swc,maildev} src test .git .npmrc ~/.npm \
    /usr/local/lib/node_modules /root/.npm 2> /dev/null | grep . && ! command -v npm' && bare node --version
}

organization() {
  compose run --rm -T cli org create --name Demo > "$work/state/organization.json"
}

unprivileged() {
  local role
  for role in api tracking worker flusher; do
    compose exec -T "$role" sh -c '[ "$(id -u)" = 1000 ] && grep -q "^CapEff:.0*$" /proc/1/status &&
      ! touch /app/x 2> /dev/null && touch /data/spool/x && rm /data/spool/x' || return 1
  done
}

settings_arrive() {
  local role
  for role in api tracking worker flusher; do
    [ "$(compose exec -T "$role" printenv RATE_LIMIT_PER_MINUTE)" = 50000 ] || return 1
  done
  [ "$(compose exec -T worker printenv SENDGRID_API_KEY)" = SG.of.containers ] &&
    [ -z "$(compose exec -T tracking printenv SENDGRID_API_KEY)" ]
}

over_smtp() { # a name
  client certificate "$work/tls" &&
    SUBMISSION_TLS_DIRECTORY=$work/tls compose --profile smtp up -d --wait --wait-timeout 240 smtp &&
    client submit "$1" && compose --profile smtp rm --stop --force smtp
}

healthy() { [ "$(docker inspect "$(compose ps -q "$1")" --format '{{.State.Health.Status}}')" = healthy ]; }

away() {
  local number
  for number in 1 2 3 4 5; do
    sleep 6
    client accept "away-$number" || return 1
  done
}

# The addresses of the containers that requests are routed to.
note_replicas() {
  local role list=()
  for role in api tracking; do
    list+=("\"$role\": [$(two_of_each ps -q "$role" | while read -r id; do
      docker inspect "$id" --format '"http://{{.NetworkSettings.Networks.mailbeacon_default.IPAddress}}:3000"'
    done | paste -sd,)]")
  done
  echo "{${list[0]}, ${list[1]}}" > "$work/state/replicas.new"
  mv "$work/state/replicas.new" "$work/state/replicas.json"
}

under_traffic() { # a name, then a command that runs meanwhile
  local name=$1 traffic
  shift
  rm -f "$work/state/stop.json"
  note_replicas
  client traffic "$name" > "$work/traffic.log" 2>&1 &
  traffic=$!
  "$@"
  local result=$?
  echo '{}' > "$work/state/stop.json"
  wait "$traffic" || result=1
  cat "$work/traffic.log"
  return "$result"
}

restart_each() {
  local role id
  for role in worker flusher api tracking; do
    for id in $(two_of_each ps -q "$role"); do
      docker restart --time 80 "$id" || return 1
      await_health "$id" || return 1
      note_replicas
    done
  done
}

await_health() {
  local _
  for _ in {1..600}; do
    [ "$(docker inspect "$1" --format '{{.State.Health.Status}}')" = healthy ] && return 0
    sleep 0.2
  done
  return 1
}

# In the order of docs/operations.md: migrate, then the roles, each with new containers before the old ones end.
upgrade_each() {
  local role old
  two_of_each run --rm -T migrate || return 1
  for role in worker flusher api tracking; do
    old=$(two_of_each ps -q "$role")
    two_of_each up -d --no-deps --no-recreate --wait --scale "$role=4" "$role" || return 1
    note_replicas
    sleep 2 # the balancer checks twice a second
    docker stop --time 80 $old || return 1
    docker rm $old || return 1
    note_replicas
  done
}

ended_well() {
  local id
  for id in $(compose ps -aq); do
    docker inspect "$id" --format '{{.Name}} {{.State.ExitCode}} {{.RestartCount}}' | tee -a /dev/stderr | grep -q ' 0 0$' ||
      return 1
  done
}

lose_all_but_a_backup() {
  compose exec -T postgres pg_dump --username=mailbeacon --format=custom mailbeacon > "$work/mailbeacon.dump" &&
    compose down && docker volume rm mailbeacon_postgres mailbeacon_redis mailbeacon_spool
}

restore() {
  compose up -d --wait postgres &&
    compose exec -T postgres pg_restore --username=mailbeacon --no-owner --no-privileges --exit-on-error \
      --dbname=mailbeacon < "$work/mailbeacon.dump" &&
    compose up -d --wait --wait-timeout 240
}
