import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '@junction/testing';
import { createClient } from './client.js';
import type { Credential, Tokens } from './tokens.js';

const ada = { email: 'ada@example.org', password: 'correct horse battery' };

let api: Receiver;
let auth: ReturnType<typeof authOf>;

beforeAll(async () => {
  api = await startReceiver();
});
beforeEach(() => {
  api.clear();
  auth = authOf();
  api.answer(auth.answer);
});
afterAll(async () => api.close());

describe('with email and password', () => {
  it('a client logs in when it first needs to, once for all who wait', async () => {
    const { asks } = clientOf(ada);
    expect(api.requests).toEqual([]);
    await Promise.all([asks(), asks(), asks()]);
    expect(asked()).toEqual(['login', 'at-1', 'at-1', 'at-1']);
  });

  it('a client logs in again when its session has ended', async () => {
    const { asks } = clientOf(ada);
    await asks();
    auth.endSession();
    await asks();
    expect(asked()).toEqual(['login', 'at-1', 'at-1', 'refresh rt-1', 'login', 'at-2']);
  });

  it('a refusal is thrown, and the password is in nothing of it', async () => {
    const { asks } = clientOf({ ...ada, password: 'wrong' });
    const error: unknown = await asks().catch((refused: unknown) => refused);
    expect(error).toMatchObject({ code: 'invalid_credentials' });
    expect(JSON.stringify([error, String(error)])).not.toContain('wrong');
  });
});

describe('with a refresh token', () => {
  it('each next one is handed over before the access token is used', async () => {
    const saved: string[] = [];
    const { asks } = clientOf({ refreshToken: 'rt-0' }, async ({ refresh_token: next }) => {
      expect(asked()).toEqual([`refresh rt-${saved.length}`]);
      saved.push(next);
    });
    await asks();
    expect(saved).toEqual(['rt-1']);
  });

  it('an access token that is refused is renewed, once for all who met it, and they go on', async () => {
    const { asks } = clientOf({ refreshToken: 'rt-0' });
    await asks();
    auth.endAccessTokens();
    api.clear();
    await Promise.all([asks(), asks()]);
    expect(asked().toSorted()).toEqual(['at-1', 'at-1', 'at-2', 'at-2', 'refresh rt-1']);
  });

  it('an access token is renewed before its life ends', async () => {
    auth.lifeS = 0;
    const { asks } = clientOf({ refreshToken: 'rt-0' });
    await asks();
    await asks();
    expect(asked()).toEqual(['refresh rt-0', 'at-1', 'refresh rt-1', 'at-2']);
  });

  it('a refresh whose answer was lost is asked for again', async () => {
    auth.loseNext();
    const { asks } = clientOf({ refreshToken: 'rt-0' });
    await asks();
    expect(asked()).toEqual(['refresh rt-0', 'refresh rt-0', 'at-1']);
  });

  it('the end of the session is thrown', async () => {
    const { asks } = clientOf({ refreshToken: 'spent' });
    await expect(asks()).rejects.toMatchObject({ code: 'invalid_refresh_token', status: 401 });
  });

  it('a caller that is aborted does not take the new token from callers that wait for it too', async () => {
    const { asks } = clientOf({ refreshToken: 'rt-0' });
    const leaving = AbortSignal.abort(new Error('not needed any more'));
    const both = await Promise.allSettled([asks(leaving), asks()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

describe('with a token of its own', () => {
  it('a client sends it, and says so when it is refused', async () => {
    const { asks } = clientOf({ token: 'at-9' });
    await expect(asks()).rejects.toMatchObject({ code: 'invalid_token' });
    expect(asked()).toEqual(['at-9']);
  });

  it('a function is asked each time, and once more after a refusal', async () => {
    auth.issue();
    const tokens = ['at-1', 'at-2', 'at-1', 'at-3', 'at-3'];
    const refusals: unknown[] = [];
    const { asks } = clientOf({
      token: async (refused) => {
        if (refused !== undefined) refusals.push(refused);
        return tokens.shift() ?? '';
      },
    });
    await asks();
    await asks();
    await expect(asks()).rejects.toMatchObject({ code: 'invalid_token' });
    expect(refusals).toEqual(['at-2', 'at-3']);
    expect(asked()).toEqual(['at-1', 'at-2', 'at-1', 'at-3']);
  });
});

function clientOf(credential: Credential, onTokens?: (tokens: Tokens) => Promise<void>) {
  const junction = createClient({ baseUrl: api.url, credential, ...(onTokens && { onTokens }) });
  return {
    asks: async (signal?: AbortSignal) => junction.get('/api/auth/me', signal && { signal }),
  };
}

/** Returns the requests so far: `login`, `refresh` with its token, and the access token of each other request. */
const asked = () =>
  api.requests.map(({ path, headers, body }) => {
    if (path === '/api/auth/login') return 'login';
    if (path !== '/api/auth/refresh') return String(headers.authorization).slice('Bearer '.length);
    return `refresh ${(JSON.parse(String(body)) as { refresh_token: string }).refresh_token}`;
  });

/** Tokens as auth has them: one pair is good, and each next one makes the last one bad. */
function authOf() {
  let [pairs, isEnded, losesNext] = [0, false, false];
  let access: string | undefined;
  const issue = (): Answer => {
    access = `at-${++pairs}`;
    isEnded = false;
    const token = { token_type: 'Bearer', expires_in: state.lifeS };
    return json(200, { ...token, access_token: access, refresh_token: `rt-${pairs}` });
  };
  const onRefresh = (token: unknown): Answer => {
    if (losesNext) {
      losesNext = false;
      return 'close';
    }
    return token === `rt-${pairs}` && !isEnded ? issue() : refused('invalid_refresh_token');
  };
  const state = {
    lifeS: 600,
    issue,
    endSession: () => void ([isEnded, access] = [true, undefined]),
    endAccessTokens: () => void (access = undefined),
    loseNext: () => void (losesNext = true),
    answer({ path, headers, body }: ReceivedRequest): Answer {
      if (path === '/api/auth/me') {
        const isGood = headers.authorization === `Bearer ${access}`;
        return isGood ? json(200, { user: {} }) : refused('invalid_token');
      }
      const { password, refresh_token: token } = JSON.parse(String(body)) as Record<string, string>;
      if (path === '/api/auth/refresh') return onRefresh(token);
      return password === ada.password ? issue() : refused('invalid_credentials');
    },
  };
  return state;
}

const json = (status: number, body: object) => ({ status, body: JSON.stringify(body) });
const refused = (code: string) => json(401, { status: 401, code, detail: `It is ${code}.` });
