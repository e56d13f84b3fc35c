import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { TOPICS } from '@junction/messaging';
import { eventually } from '@junction/testing';
import { readTopics } from '@junction/testing/stage';
import { TOTP } from 'otpauth';
import { addTotp } from '../add-totp.js';
import { logIn, newCredentials, OWN_PAGE, signUp, tokenFor, tokensOf } from '../http-client.js';
import type { UsedAuth } from '../started-auth.js';

const TRIED_MAX = 1_000;

/** The cases come first in their file: each value in the database is tried as a credential, and others add values. */
export function secretCases(
  { stage, auth, ask, database }: UsedAuth,
  tokenTo: (email: string, subject: string) => Promise<string>,
): void {
  const serviceToken = async () => tokenFor(ask, auth().worker, 'integrations');

  /** Uses all that auth offers, and returns each secret that was shown or typed, by its name. */
  const usedInEveryWay = async () => {
    const person = await signUp(ask);
    const { email, password } = person;
    const verification = await tokenTo(email, 'Verify your e-mail address');
    await ask('POST', '/api/auth/verify-email', { json: { token: verification, password } });
    await ask('POST', '/api/auth/forgot-password', { json: { email } });
    const reset = await tokenTo(email, 'Reset your password');
    const exchange = { json: { refresh_token: person.refreshToken } };
    const next = tokensOf((await ask('POST', '/api/auth/refresh', exchange)).body);
    const browser = await ask('POST', '/api/auth/session', {
      json: { email, password },
      headers: OWN_PAGE,
    });
    const [accessCookie = '', refreshCookie = ''] = browser.headers
      .getSetCookie()
      .map((line) => line.split(';')[0]?.split('=')[1] ?? '');
    const token = next.accessToken;
    const made = await ask('POST', '/api/auth/api-keys', {
      token,
      json: { name: 'laptop' },
      headers: { 'idempotency-key': 'laptop' },
    });
    const { key, id } = made.body as { key: string; id: string };
    const undo = await tokenTo(email, 'An API key was made');
    const rotated = await ask('POST', `/api/auth/api-keys/${id}/rotate`, { token, json: {} });
    const wrong = `typed wrong ${randomUUID()}`;
    await ask('POST', '/api/auth/login', { json: { email, password: wrong } });
    const other = await logIn(ask, person);
    const { secret, recoveryCodes, refreshToken } = await addTotp(ask, token);
    const login = await ask('POST', '/api/auth/login', { json: { email, password } });
    const codes = recoveryCodes.map((code, n) => [`recovery code ${n}`, code]);
    const secrets: Record<string, string> = {
      password,
      'wrong password': wrong,
      verification,
      reset,
      undo,
      'access token': person.accessToken,
      'refresh token': person.refreshToken,
      'next refresh token': next.refreshToken,
      'access cookie': accessCookie,
      'refresh cookie': refreshCookie,
      'API key': key,
      'secret of the API key': key.split('_')[3] ?? '',
      'rotated API key': (rotated.body as { key: string }).key,
      'other refresh token': other.refreshToken,
      'TOTP secret': secret,
      'TOTP secret in bytes': new TOTP({ secret }).secret.hex,
      'refresh token with a factor': refreshToken,
      'token of a waiting login': (login.body as { mfa_token: string }).mfa_token,
      'client secret': auth().worker.secret,
      'service token': await serviceToken(),
      ...(Object.fromEntries(codes) as Record<string, string>),
    };
    for (const [name, secret] of Object.entries(secrets)) {
      if (typeof secret !== 'string' || secret.length < 8) throw new Error(`There is no ${name}.`);
    }
    return { secrets, userId: person.id, email };
  };

  /** Each row of each table, and those of its values that might be a credential. */
  const dumped = async () => {
    const { pool } = database();
    const { rows: tables } = await pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const found: { text: string; values: readonly string[] }[] = [];
    for (const { name } of tables) {
      const { rows } = await pool.query<{ row: Record<string, unknown> }>(
        `select row_to_json(t) as row from ${name} t`,
      );
      for (const { row } of rows) {
        const values = Object.values(row).filter((one) => typeof one === 'string');
        found.push({
          text: JSON.stringify(row),
          values: values.filter((one) => one.length >= 16 && one.length <= 512).flatMap(spellings),
        });
      }
    }
    return found;
  };

  /** Whether anything takes it for a credential. A limit that answered instead would prove nothing. */
  const opens = async (value: string): Promise<boolean> => {
    const header = value.replaceAll(/[^\x21-\x7e]/g, '');
    const json = { token: value, new_password: newCredentials().password };
    const answers = await Promise.all([
      ask('GET', '/api/auth/me', { token: header }),
      ask('POST', '/api/auth/refresh', { json: { refresh_token: value } }),
      ask('POST', '/api/auth/refresh', { json: { refresh_token: `jn_rt_${value}` } }),
      ask('POST', '/api/auth/reset-password', { json }),
      ask('POST', '/api/auth/undo-changes', { json }),
      ask('POST', '/api/auth/login/second-factor', {
        json: { mfa_token: `jn_mfa_${value}`, totp_code: '000000' },
      }),
    ]);
    return answers.some(({ status }) => status < 300 || status === 429);
  };

  describe('data that auth stores, publishes and logs', () => {
    it('holds no password, token, key or code in any encoding, and nothing that signs in', async () => {
      const { secrets, userId, email } = await usedInEveryWay();
      const rows = await dumped();
      const stored = rows.map(({ text }) => text).join('\n');
      const published = await recordsUntil(userId, stage());
      const logs = auth().logs();
      expect(stored).toContain(userId);
      expect(logs).toContain('/api/auth/login');
      expect(logs).not.toContain(email);

      const found = Object.entries(secrets).flatMap(([name, secret]) =>
        Object.entries({ stored, published, logs }).flatMap(([place, text]) =>
          encodings(secret).some((one) => text.includes(one)) ? [`${name} in ${place}`] : [],
        ),
      );
      expect(found).toEqual([]);

      const values = [...new Set(rows.flatMap(({ values }) => values))];
      expect(values.length).toBeGreaterThan(20);
      expect(values.length).toBeLessThan(TRIED_MAX);
      const opened: string[] = [];
      for (const value of values) if (await opens(value)) opened.push(value);
      expect(opened).toEqual([]);
    });
  });
}

/** A secret, and each random part of one with a prefix, as text might hold it. */
function encodings(secret: string): readonly string[] {
  const parts = [secret, secret.replace(/^jn_[a-z]+_/, ''), secret.replaceAll('-', '')];
  const bytes = [...parts.map((one) => Buffer.from(one)), Buffer.from(parts[1] ?? '', 'base64url')];
  const written = bytes.flatMap((one) => [
    one.toString('hex'),
    one.toString('base64').replace(/=+$/, ''),
    one.toString('base64url'),
  ]);
  // The last characters of base64 depend on what follows, and a short text may be anywhere by chance.
  return [...parts, ...written].filter((one) => one.length >= 8);
}

/** A column of bytes is hex in JSON; whoever tries it would also write it as tokens are written. */
const spellings = (value: string): readonly string[] =>
  value.startsWith('\\x')
    ? [value.slice(2), Buffer.from(value.slice(2), 'hex').toString('base64url')]
    : [value];

/** All records of all topics, as soon as the user's rotated key is among them. */
async function recordsUntil(userId: string, stage: ReturnType<UsedAuth['stage']>): Promise<string> {
  const records: string[] = [];
  const topics = TOPICS.map(({ name }) => name);
  const reading = readTopics(stage, topics, ({ key, headers, value }) => {
    records.push([String(key), JSON.stringify(headers), value?.toString('latin1')].join(' '));
  });
  try {
    return await eventually(() => {
      const all = records.join('\n');
      expect(all).toContain('api_key.rotated');
      expect(all).toContain(userId);
      return all;
    });
  } finally {
    await reading.stop();
  }
}
