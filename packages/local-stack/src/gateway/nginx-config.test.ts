import { describe, expect, it } from '@jest/globals';
import { generatedFiles, PAGES_FILE, ROUTES_FILE } from './front-doors.js';
import { nginxConfig } from './nginx-config.js';
import { nginxUpstreams } from './nginx-upstreams.js';
import { readPageRules } from './page-rules.js';
import { isAmbiguous, readRoutingTable } from './routing-table.js';

const table = readRoutingTable(ROUTES_FILE);
const pages = readPageRules(PAGES_FILE);
const config = nginxConfig(table, pages);

describe('the configuration of nginx', () => {
  it('routes what the table names, each prefix alone and with what is below it, and nothing else', () => {
    const routed = [
      ...config.matchAll(/location (= )?(\S+) \{ proxy_pass http:\/\/(\w+)(\S+); \}/g),
    ];
    expect(routed.map(([, , path, upstream]) => [path, upstream])).toEqual(
      table.routes.flatMap(({ prefix, upstream }) => [
        [prefix, upstream],
        [`${prefix}/`, upstream],
      ]),
    );
    expect(routed.every(([, , path, , asked]) => path === asked)).toBe(true);
    expect(config.match(/proxy_pass /g)).toHaveLength(routed.length);
  });

  it('lets the named headers pass and tells the services only what it saw itself', () => {
    expect(config).toContain('proxy_pass_request_headers off;');
    const set = [...config.matchAll(/proxy_set_header (\S+) (\S+);/g)].map(([, name]) => name);
    expect(set).toEqual([
      ...table.passRequestHeaders,
      'host',
      'connection',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
    ]);
  });

  it('sends every page header', () => {
    for (const [name, value] of Object.entries(pages.headers)) {
      expect(config).toContain(`add_header ${name} "${value}";`);
    }
  });

  it('never repeats a POST that was sent', () => {
    expect(config).toMatch(/proxy_next_upstream error timeout;/);
  });

  it('puts whole request lines, with their queries, into no log', () => {
    const format = /log_format door [^;]*;/.exec(config)?.[0] ?? '';
    expect(format).toContain('"path":"$path"');
    expect(format).not.toMatch(/\$(request|request_uri|args|query_string|http_referer)\b/);
    expect(config.match(/error_log .*/g)).toEqual([
      'error_log stderr warn;',
      'error_log stderr emerg;',
    ]);
  });

  it('writes below one folder only', () => {
    const moved = nginxConfig(table, pages, { runDir: '/run/here', accessLog: '/run/here/log' });
    expect(moved).not.toContain('/tmp');
    expect(moved.match(/\/run\/here/g)).toHaveLength(7);
  });

  it('listens and serves from where it is told to', () => {
    const moved = nginxConfig(table, pages, { port: 9, siteDir: '/site' });
    expect(moved).toContain('listen 9;');
    expect(moved).toContain('root /site;');
  });
});

describe('the upstreams', () => {
  const replicas = { auth: ['a:1', 'b:1'], integrations: ['c:2'], webhooks: ['d:3'] };

  it('name every replica of each service', () => {
    const text = nginxUpstreams(replicas);
    expect(text.match(/^upstream \w+/gm)).toEqual(
      ['auth', 'integrations', 'webhooks'].map((name) => `upstream ${name}`),
    );
    expect(text.match(/^ {2}server \S+/gm)).toEqual(
      ['a:1', 'b:1', 'c:2', 'd:3'].map((server) => `  server ${server}`),
    );
    expect(text).not.toContain('resolve');
  });

  it('follow changing addresses when there is a name server to ask', () => {
    const text = nginxUpstreams(replicas, { resolver: '127.0.0.11' });
    expect(text.match(/^ {2}server .* resolve;$/gm)).toHaveLength(4);
    expect(text).toContain('resolver 127.0.0.11 ');
  });

  it('are made for every upstream of the table', () => {
    const files = [...generatedFiles()].filter(([file]) => file.includes('upstreams'));
    expect(files).toHaveLength(2);
    for (const [, text] of files) {
      for (const { upstream } of table.routes) expect(text).toContain(`upstream ${upstream} {`);
    }
  });
});

describe('a path that could be read in two ways', () => {
  it.each(['/a%2fb', '/a%2Fb', '/a%5cb', '/a\\b', '/a%00', '/a%', '/a%4', '/a%zz', '/%%32%66'])(
    'is %s',
    (target) => expect(isAmbiguous(target)).toBe(true),
  );

  it.each(['/', '/a/b', '/a%20b', '/caf%C3%A9', '/%2e%2e/a', '/a?next=%2Fb%', '/a?b\\c'])(
    'is not %s',
    (target) => expect(isAmbiguous(target)).toBe(false),
  );
});
