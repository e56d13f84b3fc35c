import { afterEach, describe, expect, it } from '@jest/globals';
import { Router } from 'express';
import { z } from 'zod';
import { closeOpened } from '../../test/loopback.js';
import { openApp } from '../../test/open-app.js';
import { formBody, jsonBody } from './body.js';
import { parse } from './parse.js';

afterEach(closeOpened);

describe('a body', () => {
  it('arrives as JSON', async () => {
    const { send } = await open();
    const answer = await send('{"name":"a"}');
    expect([answer.status, await answer.json()]).toEqual([201, { name: 'a' }]);
  });

  it.each([
    ['{"name":"x","n":9007199254740993}', 'n'],
    ['{"name":"x","a":[{"b":1},{"b":-1e400}]}', 'a.1.b'],
  ])('is refused when a number in it would be read as another one: %s', async (body, field) => {
    const { send } = await open();
    const answer = await send(body);
    expect(await answer.json()).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ field, code: 'number_inexact' }],
    });
  });

  it('may name a number in more digits than it needs, and large ones as texts', async () => {
    const { send } = await open();
    expect((await send('{"name":"9007199254740993 1e400"}')).status).toBe(201);
    const answer = await send('{"name":"x","n":9007199254740992.0}');
    expect(await answer.json()).toMatchObject({ errors: [{ field: 'n', code: 'unknown_field' }] });
  });

  it('that is nested endlessly is refused before anything walks through it', async () => {
    const { send } = await open();
    const nested = (levels: number) => `{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(await (await send(nested(63))).json()).toMatchObject({ code: 'invalid_request' });
    for (const levels of [64, 120_000]) {
      const answer = await send(nested(levels));
      expect(await answer.json()).toMatchObject({ status: 400, code: 'nested_too_deep' });
    }
  });

  it.each(['null', '[]', '[{"name":"a"}]', '"text"', '1', 'true'])(
    'that is no object is refused as such: %s',
    async (body) => {
      const { send } = await open();
      expect(await (await send(body)).json()).toMatchObject({
        status: 400,
        code: 'invalid_request',
        errors: [{ field: 'body', code: 'invalid_type', message: 'must be an object.' }],
      });
    },
  );

  it.each(['{"name":', 'nonsense', ' ', '{"name":"a"}}'])('%s is malformed', async (body) => {
    const { send } = await open();
    const answer = await send(body);
    expect(await answer.json()).toMatchObject({ status: 400, code: 'malformed_body' });
  });

  it('in bytes that are no UTF-8 is malformed, and not read as something else', async () => {
    const { send } = await open();
    for (const byte of [0xff, 0xe9]) {
      const answer = await send(Buffer.from([...Buffer.from('{"name":"'), byte, 0x22, 0x7d]));
      expect(await answer.json()).toMatchObject({ status: 400, code: 'malformed_body' });
    }
    expect((await send('{"name":"é📬"}')).status).toBe(201);
  });

  it.each([
    'application/json; charset="UTF-8"',
    'application/json; charset=UTF8',
    'Application/JSON;charset="utf8";',
    'application/json; charset=utf-8; charset=utf-8',
    'application/vnd.example+json',
    'application/ld+json; profile="a;b"; charset=utf8',
  ])('may have the content type %s', async (type) => {
    const { send } = await open();
    const answer = await send('{"name":"é"}', { 'content-type': type });
    expect([answer.status, await answer.json()]).toEqual([201, { name: 'é' }]);
  });

  it('may be a merge patch in a PATCH', async () => {
    const { get } = await open();
    const patch = (type: string) =>
      get('/api/things/1', { method: 'PATCH', body: '{"a":1}', headers: { 'content-type': type } });
    expect((await patch('application/merge-patch+json; charset=utf-8')).status).toBe(200);
    expect((await patch('application/vnd.example+json')).status).toBe(200);
    const refused = await patch('application/json-patch+json');
    expect(refused.headers.get('accept-patch')).toBe(
      'application/json, application/merge-patch+json',
    );
    expect(await refused.json()).toMatchObject({
      status: 415,
      detail: expect.stringContaining('application/json or application/merge-patch+json'),
    });
  });

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=latin1', {}],
    ['application/json; charset=utf-16', {}],
    ['application/json; charset=utf-7', {}],
    ['application/json; charset=none', {}],
    ['application/json; charset=utf8; charset=latin1', {}],
    ['application/json-seq', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
    ['', {}],
  ])('is unsupported with type %s %j', async (type, headers) => {
    const { send } = await open();
    expect((await send('{"name":"a"}', { 'content-type': type, ...headers })).status).toBe(415);
  });

  it('is read up to 256 KB and refused beyond, with or without its length announced', async () => {
    const { send, url } = await open();
    const ofSize = (bytes: number) => `{"name":"${'a'.repeat(bytes - 11)}"}`;
    expect((await send(ofSize(256 * 1_024))).status).toBe(201);
    const answer = await send(ofSize(256 * 1_024 + 1));
    expect(await answer.json()).toMatchObject({ status: 413, code: 'body_too_large' });

    const chunks = async function* () {
      for (let sent = 0; sent < 300; sent++) yield Buffer.alloc(1_024, 97);
    };
    const streamed = await fetch(`${url}/api/things`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: chunks(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
  });

  it('may be a form where a standard wants one', async () => {
    const { url } = await open();
    const body = new URLSearchParams({ grant_type: 'x' });
    const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body });
    expect(await answer.json()).toEqual({ grant_type: 'x' });
    const type = 'application/x-www-form-urlencoded; charset=UTF8';
    const named = { method: 'POST', body: 'grant_type=%C3%A9', headers: { 'content-type': type } };
    expect(await (await fetch(`${url}/oauth/token`, named)).json()).toEqual({ grant_type: 'é' });
    const json = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(json.status).toBe(415);
  });
});

const thing = z.strictObject({ name: z.string() });

async function open() {
  const router = Router();
  router.patch('/api/things/:id', (_req, res) => void res.json({}));
  router.post('/api/things', (req, res) => void res.status(201).json(parse(thing, req.body)));
  const form = Router();
  form.post('/oauth/token', (req, res) => void res.json(req.body));
  const { url, get } = await openApp([
    { through: [jsonBody], router },
    { through: [formBody], router: form },
  ]);
  return {
    url,
    get,
    send: (
      body: string | Buffer,
      headers: Record<string, string> = { 'content-type': 'application/json' },
    ) => get('/api/things', { method: 'POST', body: Buffer.from(body), headers }),
  };
}
