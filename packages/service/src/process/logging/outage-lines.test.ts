import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { outageLines } from './outage-lines.js';

const MINUTE_MS = 60_000;
const POSTGRES_PORT = 5432;

const refused = (port: number) =>
  Object.assign(new Error(`connect ECONNREFUSED 10.0.0.5:${port}`), {
    code: 'ECONNREFUSED',
    address: '10.0.0.5',
    port,
  });
const coded = (message: string, code?: string) => Object.assign(new Error(message), { code });
const kafka = (cause?: Error) =>
  Object.assign(new Error('Connection error', { cause }), { name: 'KafkaJSError' });

describe('an outage', () => {
  it('is two lines, one for each further reason and a reminder in five minutes, however many parts meet it', () => {
    const { meet, pass, lines } = stage();
    for (let minute = 0; minute < 6; minute++) {
      meet({ err: refused(POSTGRES_PORT), component: 'mails' }, 'a background job failed');
      meet({ err: coded('Connection terminated unexpectedly') }, 'relay: leases not renewed');
      pass(MINUTE_MS - 1);
    }
    pass(MINUTE_MS);
    expect(lines).toEqual([
      {
        message: expect.stringContaining('an outage began'),
        server: 'Postgres',
        reason: 'connect ECONNREFUSED 10.0.0.5:5432',
        operation: 'a background job failed',
        component: 'mails',
      },
      {
        message: 'the server of an outage fails in another way, too',
        server: 'Postgres',
        reason: 'Connection terminated unexpectedly',
        operation: 'relay: leases not renewed',
      },
      {
        message: 'an outage goes on',
        server: 'Postgres',
        reason: 'connect ECONNREFUSED 10.0.0.5:5432; Connection terminated unexpectedly',
        duration_ms: 299_995,
        suppressed: 10,
      },
      {
        message: 'an outage is over: not met again for a minute',
        server: 'Postgres',
        reason: 'connect ECONNREFUSED 10.0.0.5:5432; Connection terminated unexpectedly',
        duration_ms: 299_995,
        suppressed: 10,
      },
    ]);
  });

  it('is over with the first answer to what was asked after its last failure', () => {
    const { meet, answer, pass, lines } = stage();
    meet({ err: refused(POSTGRES_PORT) }, 'a');
    pass(3_000);
    answer('Kafka', 3_000);
    meet({ err: refused(POSTGRES_PORT) }, 'b');
    answer('Postgres', 2_999);
    expect(lines).toHaveLength(1);
    pass(5_000);
    answer('Postgres', 3_001);
    answer('Postgres', 9_000);
    expect(lines).toMatchObject([
      { message: expect.stringContaining('an outage began') },
      {
        message: 'an outage is over: the server answers',
        server: 'Postgres',
        duration_ms: 3_000,
        suppressed: 1,
      },
    ]);
  });

  it('is told as one where a server answers some of what it is asked', () => {
    const { meet, answer, pass, lines } = stage();
    for (let second = 0; second < 120; second += 4) {
      meet({ err: refused(POSTGRES_PORT) }, 'a');
      pass(2_000);
      answer('Postgres', second * 1_000 + 1_000);
      pass(2_000);
    }
    const told = lines.map(({ message }) => /began|over/.exec(String(message))?.[0]);
    expect(told).toEqual(['began', 'over', 'began']);
  });

  it('hides no line of another server', () => {
    const { meet, lines } = stage();
    meet({ err: refused(POSTGRES_PORT) }, 'a');
    meet({ err: kafka(refused(9092)) }, 'b');
    meet({ err: new TypeError('fetch failed', { cause: refused(7001) }) }, 'c');
    meet({ err: coded('getaddrinfo ENOTFOUND mail', 'ENOTFOUND'), hostname: 'mail' }, 'd');
    const cause = coded('14 UNAVAILABLE: No connection established.');
    meet({ err: new AppError('mail_server_unavailable', 'No.', { cause }) }, 'e');
    meet(
      { err: Object.assign(new Error('Late.'), { name: 'TimeoutError', server: 'id.example' }) },
      'f',
    );
    meet({ err: Object.assign(new Error('Late.'), { name: 'TimeoutError' }) }, 'g');
    expect(lines.map(({ server }) => server)).toEqual([
      'Postgres',
      'Kafka',
      '10.0.0.5:7001',
      'ENOTFOUND',
      'mail_server_unavailable',
      'id.example',
      'unnamed',
    ]);
  });

  it('hides no line that tells something else', () => {
    const { taken } = stage();
    expect(taken({ err: refused(POSTGRES_PORT) })).toBe(true);
    expect(taken({ err: refused(POSTGRES_PORT), keep: true })).toBe(false);
  });

  it.each([
    ['a process without descriptors', coded('connect EMFILE 10.0.0.5:5432', 'EMFILE')],
    ['a pool that was ended', new Error('Cannot use a pool after calling end on the pool')],
    ['a mistake of ours', new TypeError('undefined is not a function')],
    ['a broken constraint', coded('duplicate key', '23505')],
    ['a deadlock, which is over at once', coded('deadlock detected', '40P01')],
    ['a statement that took too long', coded('canceling statement', '57014')],
    ['a refusal', new AppError('mail_refused', 'No.')],
    ['no error', undefined],
  ])('is not %s', (_, err) => {
    const { taken } = stage();
    expect(taken({ err })).toBe(false);
  });
});

/** Creates lines whose clock stands until it is moved. */
function stage() {
  let nowMs = 0;
  const lines: Record<string, unknown>[] = [];
  const write = (fields: object, message: string) => void lines.push({ ...fields, message });
  const names = new Map([[POSTGRES_PORT, 'Postgres']]);
  const outages = outageLines(write, names, () => nowMs);
  const meet = (fields: Record<string, unknown>, message: string) =>
    outages.take(fields, message, write);
  return {
    lines,
    meet,
    answer: outages.answered,
    taken: (fields: Record<string, unknown>) => meet(fields, 'x'),
    pass(ms: number) {
      nowMs += ms;
      outages.look();
    },
  };
}
