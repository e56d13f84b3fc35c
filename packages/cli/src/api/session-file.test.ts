import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Receiver, startReceiver } from '@junction/testing';
import { sessionCredential, sessionOf } from './session-credential.js';
import { type SessionFile, sessionFile } from './session-file.js';

let folder: string;
let file: SessionFile;
let auth: Receiver;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'junction-session-'));
  file = sessionFile({ XDG_CONFIG_HOME: folder });
  auth = await startReceiver();
  ({ url } = auth);
  auth.answer(({ body }) => {
    const tokens = { access_token: `at-${refreshes().length}`, refresh_token: `${shownIn(body)}'` };
    const headers = { 'content-type': 'application/json' };
    return { headers, body: JSON.stringify({ ...tokens, expires_in: 600 }) };
  });
});

afterEach(async () => {
  await auth.close();
  rmSync(folder, { recursive: true });
});

const shownIn = (body: Buffer): string =>
  (JSON.parse(body.toString()) as { refresh_token: string }).refresh_token;
const refreshes = () => auth.requests.map(({ body }) => shownIn(body));

/** Returns the function that the client asks for a token. */
function tokenOf(kept: SessionFile): (refused?: string) => Promise<string> {
  const credential = sessionCredential(kept, url);
  if (!(credential && 'token' in credential && typeof credential.token === 'function')) {
    throw new Error('The credential of a session is a function.');
  }
  const { token } = credential;
  return async (refused) => token(refused);
}

const session = (expires_in: number) =>
  sessionOf(url, { access_token: 'at-0', refresh_token: 'rt', expires_in });

describe('the session that is kept', () => {
  it('may be read by its owner alone', () => {
    expect(file.read()).toBeUndefined();
    file.write(session(600));
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(file.path).toBe(path.join(folder, 'junction/session.json'));
    expect(file.read()).toMatchObject({ url, access_token: 'at-0' });
  });

  it('is shown to the product it is of, and to nobody else', async () => {
    file.write(session(600));
    expect(await tokenOf(file)()).toBe('at-0');
    expect(sessionCredential(file, 'https://other.example')).toBeUndefined();
  });

  it('is renewed once, however many commands find that it has run out', async () => {
    file.write(session(10));
    // Each function stands for a process: they share nothing but the file.
    const processes = Array.from({ length: 5 }, () => tokenOf(file));
    const tokens = await Promise.all(processes.flatMap((token) => [token(), token()]));
    expect(new Set(tokens)).toEqual(new Set(['at-1']));
    expect(refreshes()).toEqual(['rt']);
    expect(file.read()).toMatchObject({ access_token: 'at-1', refresh_token: "rt'" });
  });

  it('is renewed before its end when its token is refused', async () => {
    file.write(session(600));
    expect(await tokenOf(file)('at-0')).toBe('at-1');
    expect(refreshes()).toEqual(['rt']);
  });
});
