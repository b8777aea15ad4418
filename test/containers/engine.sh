# A Docker engine of our own, for containers.sh: nothing is installed, and it lives in namespaces that end with it.
# Written: $work, a folder of this run. Kept: $kept, with what was downloaded.

# Docker 26 and Compose 2 of trixie run on bookworm; what is linked to a newer libc comes from bookworm.
TRIXIE='docker.io docker-cli docker-compose docker-buildx containerd'
BOOKWORM='runc slirp4netns libslirp0 tini debootstrap iptables libip4tc2 libip6tc2 libxtables12 libnftnl11 libmnl0
  libnetfilter-conntrack3 libnfnetlink0'

unpack_engine() {
  local suite name deb
  mirror=$(sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb (\[.*\] )?(http[^ ]+) .*/\2/p' \
    /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2> /dev/null | head -1 || true)
  mkdir -p "$work"/{apt/lists/partial,apt/cache/archives/partial,apt/etc/apt.conf.d,apt/etc/preferences.d} \
    "$work"/{engine,bin,config/cli-plugins,images,state} "$kept/packages"
  for suite in bookworm trixie; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
  done > "$work/apt/etc/sources.list"
  cat > "$work/apt/apt.conf" << CONFIGURATION
Dir::Etc "$work/apt/etc"; Dir::Etc::sourceparts "/dev/null"; Dir::State::lists "$work/apt/lists";
Dir::Cache "$work/apt/cache"; Dir::State::status "/dev/null"; Acquire::Languages "none"; APT::Sandbox::User "root";
Acquire::Check-Valid-Until "false"; Acquire::Check-Date "false";
CONFIGURATION
  if [ ! -e "$kept/packages/complete" ]; then
    (cd "$kept/packages" && export APT_CONFIG="$work/apt/apt.conf" && apt-get -qq update &&
      apt-get -qq download $(printf '%s/trixie ' $TRIXIE) $(printf '%s/bookworm ' $BOOKWORM) && touch complete)
  fi
  for deb in "$kept"/packages/*.deb; do dpkg -x "$deb" "$work/engine"; done
  for name in {iptables,ip6tables}{,-save,-restore}; do
    ln -s "$work/engine/usr/sbin/xtables-nft-multi" "$work/bin/$name"
  done
  ln -s "$work/engine/usr/bin/tini-static" "$work/bin/docker-init"
  ln -s "$work"/engine/usr/libexec/docker/cli-plugins/* "$work/config/cli-plugins/"
  libraries=$work/engine/usr/lib/x86_64-linux-gnu
}

# Inside of the namespaces: its own /run, /sys and cgroups, and its data in memory.
write_engine_start() {
  cat > "$work/engine.sh" << START
set -e
mount --make-rprivate /
mount -t tmpfs run /run
mount -t sysfs sysfs /sys
mount -t tmpfs cgroup /sys/fs/cgroup
while IFS=: read -r number name path; do
  name=\${name#name=}
  [ -n "\$name" ] || continue
  [ "\$name" = systemd ] && kind=none,name=systemd || kind=\$name
  mkdir "/sys/fs/cgroup/\$name"
  mount -t cgroup -o "\$kind" cgroup "/sys/fs/cgroup/\$name"
done < /proc/self/cgroup
echo nameserver 10.0.2.3 > /run/resolv.conf
mount --bind /run/resolv.conf "\$(readlink -f /etc/resolv.conf)"
ip link set lo up
mkdir $work/data
mount -t tmpfs data $work/data
export LD_LIBRARY_PATH=$libraries XTABLES_LIBDIR=$libraries/xtables
export PATH=$work/bin:$work/engine/usr/bin:$work/engine/usr/sbin:\$PATH
dockerd --data-root $work/data --cgroup-parent /$group > $work/dockerd.log 2>&1
START
}

start_engine() {
  write_engine_start
  unshare --mount --net --pid --ipc --uts --cgroup --fork --kill-child --mount-proc bash "$work/engine.sh" &
  engine=$!
  local _
  for _ in {1..100}; do
    read -r inner _ < "/proc/$engine/task/$engine/children" || true
    [ -n "$inner" ] && docker version > /dev/null 2>&1 && break
    kill -0 "$engine" 2> /dev/null || { cat "$work/dockerd.log"; exit 1; }
    sleep 0.2
  done
  LD_LIBRARY_PATH=$libraries "$work/engine/usr/bin/slirp4netns" --configure --mtu=65520 --disable-host-loopback \
    "$inner" tap0 > /dev/null 2>&1 &
  network=$!
}

# From here on, nothing inside of the engine reaches another machine.
cut_network() {
  kill "$network"
  wait "$network" 2> /dev/null || true
  network=
}

stop_engine() {
  [ -z "$network" ] || kill "$network" 2> /dev/null || true
  if [ -n "$engine" ]; then
    kill -9 "$engine" 2> /dev/null || true
    wait "$engine" 2> /dev/null || true
  fi
  local _
  for _ in {1..20}; do # until the kernel has ended the last of its processes
    find /sys/fs/cgroup -depth -type d -path "*/$group*" -exec rmdir {} + 2> /dev/null && break
    sleep 0.2
  done
  rm -rf "$work"
}

in_engine() {
  nsenter -t "$inner" -m -n -p -i -u -C env PATH="$work/engine/usr/bin:$PATH" DOCKER_CONFIG="$work/config" \
    bash -c 'cd "$0" && exec "$@"' "$directory" "$@"
}
docker() { in_engine docker "$@"; }
