# Exit code 0 when this container answers 200, 1 otherwise: healthcheck.sh [port] [path]. The shell asks by itself,
# because a Node that starts for each look takes longer than a look may take on a busy machine.
port=${1:-$HTTP_PORT}
path=${2:-/internal/health/ready}
exec 3<>"/dev/tcp/127.0.0.1/$port" || exit 1
printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$path" "$port" >&3
read -r -t 3 _ status _ <&3
[ "$status" = 200 ] && exit 0
echo "Port $port answers ${status:-nothing} to GET $path." >&2
exit 1
