#!/bin/bash
# Runs as a service in a booted Debian with an older package: uses, breaks, upgrades, removes and purges the package
# under systemd. Each successful check writes a line to /srv/said. Every check has its own line, because `set -e` ends
# the script only if the last command of `a && b` fails.
set -euxo pipefail
exec 3>/srv/said >/srv/trace 2>&1

# `! command` would not end the script when the command succeeds, because `set -e` ignores the result of `!`.
fails() { if "$@"; then exit 1; fi; }
of() { systemctl show --value --property "$1" canvas-sync; }
is_ready() { curl --silent --fail http://127.0.0.1:8080/readyz; }
has_room() { curl --silent --fail http://127.0.0.1:8080/v1/rooms/kept | grep --quiet Sun; }

# systemd starts this script when the server is ready, so there is no need to wait.
[ "$(of ActiveState)" = active ]
is_ready
[ "$(ps -o user= -p "$(of MainPID)")" = canvas-sync ]
[ "$(stat --format '%U %a' /var/lib/canvas-sync)" = 'canvas-sync 700' ]
echo 'it is started at boot and ready' >&3

curl --silent --fail --header 'Content-Type: application/json' \
  --data '{"ops":[{"shape":"aaa-aaa-aaa","set":{"kind":"rectangle","name":"Sun"}}]}' http://127.0.0.1:8080/v1/rooms/kept/ops
process=$(of MainPID)
systemctl reload canvas-sync
systemctl is-active canvas-sync
is_ready
[ "$(of MainPID)" = "$process" ]
echo 'a reload is no restart' >&3

for _ in {1..7}; do
  process=$(of MainPID)
  kill -KILL "$process"
  # The state becomes active again when the server is ready.
  until [ "$(of ActiveState)" = active ] && [ "$(of MainPID)" != "$process" ]; do sleep 0.1; done
done
has_room
echo 'it comes back as often as it is killed' >&3

echo CANVAS_MAX_SHAPES=many >>/etc/canvas-sync.conf
fails systemctl restart canvas-sync
[ "$(of ActiveState) $(of ExecMainStatus)" = 'failed 64' ]
echo 'a wrong setting is not tried again' >&3
sed -i 's/many/7/' /etc/canvas-sync.conf

systemctl start canvas-sync
process=$(of MainPID)
dpkg --install --force-confold /srv/newer.deb
[ "$(of MainPID)" != "$process" ]
is_ready
has_room
grep --quiet CANVAS_MAX_SHAPES=7 /etc/canvas-sync.conf
echo 'an upgrade starts the new one with the old rooms and settings' >&3

dpkg --remove canvas-sync
fails is_ready
[ -e /var/lib/canvas-sync/canvas.db ]
dpkg --purge canvas-sync
[ ! -e /var/lib/canvas-sync ]
[ ! -e /etc/canvas-sync.conf ]
fails systemctl cat canvas-sync
echo 'it is gone' >&3
