import { DOOR_PROBLEMS, type DoorProblem, problemBody, RETRY_AFTER_S } from './door-problems.js';
import type { PageRules } from './page-rules.js';
import type { RoutingTable } from './routing-table.js';

/** Where this nginx listens, reads and writes. The defaults are those of the container. */
export interface NginxPlaces {
  readonly port?: number;
  /** The dashboard's files. */
  readonly siteDir?: string;
  /** The pid and what does not fit in memory. */
  readonly runDir?: string;
  readonly accessLog?: string;
}

/**
 * The configuration of nginx as a front door: the same routes, headers and problems as the door of
 * `npm start`. It includes upstreams.conf, beside it, for where the services are.
 */
export function nginxConfig(
  table: RoutingTable,
  pages: PageRules,
  {
    port = 8080,
    siteDir = '/usr/share/nginx/html',
    runDir = '/tmp',
    accessLog = '/dev/stdout',
  }: NginxPlaces = {},
): string {
  return `# Generated from routes.json and pages.json by \`npm run generate\`: change those.

worker_processes auto;
pid ${runDir}/nginx.pid;
error_log stderr warn;

events {
  worker_connections 4096;
}

http {
  include upstreams.conf;
  # Whose X-Forwarded-For counts, where another proxy stands before this one (set_real_ip_from).
  include trusted-proxies*.conf;
${indented(2, TYPES)}
${indented(2, logs(accessLog))}
${indented(2, limits(runDir))}
${indented(2, pageMaps(pages))}
${indented(2, REQUEST_MAPS)}

  server {
    listen ${port};
    root ${siteDir};
    # Or //api/auth would be /api/auth here and nowhere else.
    merge_slashes off;
    if ($is_ambiguous) {
      rewrite ^ /-/invalid last;
    }

${indented(4, problems())}
${indented(4, HEALTH)}
${indented(4, proxying(table))}
${indented(4, routes(table))}

${indented(4, site(pages))}
  }
}
`;
}

const TYPES = `
types {
  text/html html;
  text/css css;
  text/javascript js mjs;
  text/plain txt;
  application/json json map;
  application/manifest+json webmanifest;
  image/svg+xml svg;
  image/png png;
  image/x-icon ico;
  font/woff2 woff2;
}
default_type application/octet-stream;
charset utf-8;
charset_types text/css text/javascript text/plain application/manifest+json;`;

const REQUEST_MAPS = `
# A UUID, as the services' request ids are.
map $request_id $problem_id {
  "~^(.{8})(.{4})(.{4})(.{4})(.{12})$" $1-$2-$3-$4-$5;
}
# What two readers could take for different paths; see isAmbiguous.
map $request_uri $is_ambiguous {
  default 0;
  "~*^[^?]*(\\\\\\\\|%5c|%2f|%00)" 1;
}`;

const logs = (accessLog: string): string => `
# A query can hold an authorization code. nginx writes whole request lines to its error log, so of
# requests only the access log speaks.
error_log stderr emerg;
map $request_uri $path {
  "~^(?<before_query>[^?]*)" $before_query;
}
log_format door escape=json
  '{"time":"$time_iso8601","request_id":"$upstream_http_x_request_id","method":"$request_method",'
  '"path":"$path","status":"$status","bytes":$body_bytes_sent,"duration_s":$request_time,'
  '"upstream":"$upstream_addr","upstream_status":"$upstream_status",'
  '"upstream_duration_s":"$upstream_response_time"}';
access_log ${accessLog} door;`;

const limits = (runDir: string): string => `
server_tokens off;
sendfile on;
tcp_nopush on;
absolute_redirect off;
client_body_temp_path ${runDir}/client_body;
proxy_temp_path ${runDir}/proxy;
fastcgi_temp_path ${runDir}/fastcgi;
uwsgi_temp_path ${runDir}/uwsgi;
scgi_temp_path ${runDir}/scgi;

# Above the services' own limits (256 KB), which answer with what they allow.
client_max_body_size 1m;
client_body_buffer_size 256k;
client_header_timeout 10s;
client_body_timeout 30s;
keepalive_timeout 65s;`;

const pageMaps = ({ index, immutable, otherFiles, notPages }: PageRules): string => `
# Hidden files are not part of the site.
map $uri $file {
  default $uri;
  "~/[.]" "";
}
map $uri $may_be_page {
  default 1;
  "~^(${notPages.map(escaped).join('|')})(/|$)" 0;
}
map "$may_be_page $request_method $http_accept" $page {
  default "";
  "~*^1 (GET|HEAD) .*text/html" ${index.file};
}
map $uri $page_cache_control {
  default "${otherFiles.cacheControl}";
  ${index.file} "${index.cacheControl}";
  "~^${escaped(immutable.prefix)}/" "${immutable.cacheControl}";
}`;

const { invalidRequest, noSuchRoute, bodyTooLarge, unavailable } = DOOR_PROBLEMS;

const problems = (): string =>
  [
    'error_page 400 414 494 = /-/invalid;',
    'error_page 403 404 405 = /-/no-such-route;',
    'error_page 413 = /-/too-large;',
    // What a service itself answers passes untouched: proxy_intercept_errors is off.
    'error_page 500 502 503 504 = /-/unavailable;',
    problemLocation('/-/invalid', invalidRequest),
    problemLocation('/-/no-such-route', noSuchRoute),
    problemLocation('/-/too-large', bodyTooLarge),
    problemLocation(
      '/-/unavailable',
      unavailable,
      `add_header retry-after ${RETRY_AFTER_S} always;`,
    ),
  ].join('\n');

const HEALTH = `
location = /healthz {
  access_log off;
  default_type text/plain;
  return 200 "ok\\n";
}
`;

const problemLocation = (path: string, problem: DoorProblem, ...more: string[]): string =>
  block(`location = ${path}`, [
    'internal;',
    // Or the extension of the path asked for decides the type.
    'types { }',
    'default_type application/problem+json;',
    'add_header cache-control no-store always;',
    ...more,
    `return ${problem.status} '${problemBody(problem, '$problem_id')}';`,
  ]);

const proxying = ({
  passRequestHeaders,
}: RoutingTable): string => `# Of what the caller sent these headers pass, and nothing else.
proxy_pass_request_headers off;
${passRequestHeaders.map((name) => `proxy_set_header ${name} $http_${name.replaceAll('-', '_')};`).join('\n')}
proxy_set_header host $http_host;
proxy_set_header connection "";
proxy_set_header x-forwarded-for $remote_addr;
proxy_set_header x-forwarded-host $http_host;
proxy_set_header x-forwarded-proto $scheme;
proxy_redirect off;
proxy_http_version 1.1;
proxy_connect_timeout 2s;
proxy_send_timeout 60s;
proxy_read_timeout 60s;
# Another replica is asked when one cannot be reached. A POST or PATCH that was sent may have been
# carried out, so without non_idempotent those are repeated only when nothing had been sent; nor is
# a 503 repeated: that replica has answered, and a failing database fails them all.
proxy_next_upstream error timeout;
proxy_next_upstream_tries 3;
proxy_next_upstream_timeout 10s;
# Answers are buffered; a stream (SSE) turns that off for itself with X-Accel-Buffering: no.`;

/** With a path in proxy_pass, what was matched is what is asked: no dot segment is left. */
const routes = ({ routes }: RoutingTable): string =>
  routes
    .flatMap(({ prefix, upstream }) =>
      [`= ${prefix}`, `${prefix}/`].map(
        (match) => `location ${match} { proxy_pass http://${upstream}${match.replace('= ', '')}; }`,
      ),
    )
    .join('\n');

const site = ({ headers, index }: PageRules): string =>
  [
    block('location = /', [`rewrite ^ ${index.file} last;`]),
    block('location /', [
      'try_files $file $page =404;',
      'gzip on;',
      'gzip_vary on;',
      'gzip_types text/css text/javascript application/json application/manifest+json image/svg+xml;',
      'add_header cache-control $page_cache_control;',
      ...Object.entries(headers).map(([name, value]) => `add_header ${name} "${value}";`),
    ]),
  ].join('\n');

const block = (head: string, lines: readonly string[]): string =>
  `${head} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}`;

const escaped = (path: string): string => path.replaceAll('.', '\\.');

const indented = (by: number, text: string): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(by));
