import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { eventually, type Receiver, startReceiver } from '@junction/testing';
import { verify } from '@junction/webhook-signing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { contentsOf, usePackages } from '../../acceptance/test/installed.js';
import { type Developer, newDeveloper } from './developer.js';
import { type Running, start } from './junction.js';
import { type Publisher, publisher } from './operator.js';

const product = useProduct();
const { nodes, installed } = usePackages();
let folder: string;
let receiver: Receiver;
let events: Publisher;
let ada: Developer;

beforeAll(async () => {
  folder = await installed('cli');
  [receiver, events, ada] = await Promise.all([
    startReceiver(),
    publisher(product()),
    newDeveloper(product()),
  ]);
  const json = { url: `${receiver.url}/hook`, events: ['draft.created'], enabled: true };
  expect((await ada.call('POST', '/api/webhooks', { json })).status).toBe(201);
});

afterAll(async () => {
  await events?.close();
  await receiver?.close();
});

it('the package holds the command and nothing of the repository around it', () => {
  expect(contentsOf(folder, 'cli')).toEqual([
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'node_modules',
    'package.json',
  ]);
});

it.each([
  ['of the tests', 0],
  ['22', 1],
  ['of the images', 2],
])('installed in an empty folder, it works on the Node %s', async (_, which) => {
  receiver.clear();
  const command = path.join(folder, 'node_modules/.bin/junction');
  const env = {
    PATH: `${path.dirname(nodes()[which] ?? '')}:${process.env['PATH']}`,
    XDG_CONFIG_HOME: path.join(folder, `config-${which}`),
  };
  const begin = (line: string, input = ''): Running =>
    start([command, ...line.split(' ')], env, input);

  const out = `0.1.0 (${execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()})\n`;
  expect(await begin('--version').ended).toEqual({ code: 0, out, err: '' });
  const { gateway } = product().endpoints;
  const login = begin(`login --url ${gateway} --email ${ada.email}`, `${ada.password}\n`);
  expect(await login.ended).toMatchObject({ code: 0, out: '' });

  const listening = begin(`listen --forward ${receiver.url}/local --secret mine -n 1`);
  await eventually(() => expect(listening.err()).toBe('Listening. Ctrl-C ends it.\n'));
  await events.publish(ada.id, 'meeting.joined', { note: 'now' });
  expect(await listening.ended).toMatchObject({ code: 0 });
  const forwarded = await receiver.waitFor((request) => request.path === '/local');
  expect(verify(forwarded.body, forwarded.headers, 'mine').event_type).toBe('meeting.joined');

  const triggered = await begin('trigger draft.created').ended;
  expect(triggered).toMatchObject({ code: 0, out: expect.stringMatching(/^HTTP 200 after/) });

  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command, args: ['mcp'], env, cwd: '/' }));
  const { structuredContent } = await client.callTool({ name: 'list_webhooks', arguments: {} });
  await client.close();
  expect(structuredContent).toMatchObject({ webhooks: [{ url: `${receiver.url}/hook` }] });
});
