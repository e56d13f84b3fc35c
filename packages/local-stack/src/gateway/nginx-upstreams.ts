import type { Upstream } from './routing-table.js';

/** The replicas of each service, as host:port. */
export type Replicas = Readonly<Record<Upstream, readonly string[]>>;

export interface UpstreamsOptions {
  /**
   * A name server by which nginx follows names whose addresses change while it runs. Needs nginx
   * 1.27.3; without it names are looked up once, at the start.
   */
  readonly resolver?: string;
}

/** What nginx.conf includes as upstreams.conf. */
export function nginxUpstreams(replicas: Replicas, { resolver }: UpstreamsOptions = {}): string {
  const resolve = resolver === undefined ? '' : ' resolve';
  const groups = Object.entries(replicas).map(
    ([name, servers]) => `upstream ${name} {
  zone ${name} 64k;
${servers.map((server) => `  server ${server} max_fails=1 fail_timeout=1s${resolve};`).join('\n')}
  keepalive 64;
  keepalive_timeout 1s;
  keepalive_requests 10000;
}
`,
  );
  return [
    HEAD,
    ...(resolver === undefined ? [] : [`resolver ${resolver} valid=2s ipv6=off;\n`]),
    ...groups,
  ].join('\n');
}

/**
 * `fail_timeout` must be shorter than the time between two replicas' restarts, or both are out at
 * once. `keepalive_timeout` must be shorter than the time a stopping service goes on serving: then
 * no idle connection is left on which a request could cross with its closing.
 */
const HEAD = `# Where the services are. A replica that refuses is left alone for a second; a connection that
# nobody used for a second is closed from this side, before a stopping service closes it.
`;
