#!/bin/sh
if [ "$1" = redis-server ] && [ "$(id -u)" = 0 ]; then
  chown -R redis: /data
  exec setpriv --reuid=redis --regid=redis --clear-groups "$@" --protected-mode no
fi
exec "$@"
