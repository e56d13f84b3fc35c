import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { type Person, signUp } from './http-client.js';
import { useAuth } from './started-auth.js';

/** Pairs of requests, sent in turn, so that a machine that slows down slows both. */
const PAIRS = 60;
/** Without the work for an unknown address it would be answered in a tenth of the time. */
const ALIKE = 1.5;

const many = '100000';
const { ask } = useAuth(() => ({
  SIGN_IN_LIMITS: `account=${many}/900,network=${many}/900`,
  SMTP_URL: 'smtp://127.0.0.1:9', // mails are queued, and nobody takes them
}));
let person: Person;
beforeAll(async () => {
  person = await signUp(ask);
});

it.each([
  ['a wrong password', '/api/auth/login', { password: 'not the one' }, 401],
  ['a forgotten password', '/api/auth/forgot-password', {}, 202],
])(
  'answers %s of a known and of an unknown address in the same time',
  async (_, path, more, status) => {
    const timed = async (email: string) => {
      const json = { email, ...more };
      const beganMs = performance.now();
      expect((await ask('POST', path, { json })).status).toBe(status);
      return performance.now() - beganMs;
    };
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let pair = 0; pair < PAIRS; pair++) {
      known.push(await timed(person.email));
      unknown.push(await timed(`${randomUUID()}@example.com`));
    }
    const ratio = medianOf(known) / medianOf(unknown);
    expect(ratio).toBeGreaterThan(1 / ALIKE);
    expect(ratio).toBeLessThan(ALIKE);
  },
);

const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
