# The images that docker-compose.yml and the Dockerfile name, because no registry is reachable here. They are made of
# the packages of Debian and npm, so Redis is 7.0 and Postgres 15.

make_base_images() {
  DEBOOTSTRAP_DIR=$work/engine/usr/share/debootstrap "$work/engine/usr/sbin/debootstrap" --variant=minbase \
    --include=ca-certificates bookworm "$work/root" "$mirror" > "$work/debootstrap.log" 2>&1
  # What the slim images of Debian leave out as well.
  tar -C "$work/root" --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' \
    --exclude='./var/cache/apt/*' --exclude='./var/lib/apt/lists/*' --exclude='./var/log/*' -c . |
    docker import - debian:bookworm-slim > /dev/null
  rm -rf "$work/root"
  cp "$project"/test/containers/images/* "$work/images/"
  cp "$node" "$work/images/node"
  cp /etc/ssl/certs/ca-certificates.crt "$work/images/"
  (cd "$work/images" && npm pack --silent npm@11 > npm.name 2> /dev/null && mkdir npm &&
    tar xzf "$(cat npm.name)" -C npm --strip-components=1 &&
    printf 'cafile=/etc/ssl/certs/ca-certificates.crt\nregistry=%s\n' "$(npm config get registry 2> /dev/null)" > npmrc)
  local target
  for target in node=node:local inbox=maildev/maildev:2.2.1 redis=redis:7.2 postgres=postgres:18; do
    docker build --quiet --network=host --target "${target%%=*}" -t "${target#*=}" "$work/images" \
      > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
  done
}

# The images of a Dockerfile, which may be older than this one, by the names that it knows them by.
name_base_images() {
  sed -nE 's/^FROM (node:[^ ]+)( .*)?$/\1/p' "$1" | sort -u | while read -r name; do docker tag node:local "$name"; done
}

build_image() { # the folder of the project, then the name
  local arguments=() name
  for name in NODE_IMAGE=node:local DEBIAN_IMAGE=debian:bookworm-slim; do
    grep -q "^ARG ${name%%=*}=" "$1/Dockerfile" && arguments+=(--build-arg "$name")
  done
  name_base_images "$1/Dockerfile"
  docker build --quiet --network=host "${arguments[@]}" -t "$2" "$1" > "$work/build.log" 2>&1 ||
    { tail -50 "$work/build.log"; exit 1; }
}
