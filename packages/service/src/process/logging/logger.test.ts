import { describe, expect, it } from '@jest/globals';
import { type LoggerOptions, logger } from './logger.js';

describe('a log line', () => {
  it('carries the listed fields under either spelling', () => {
    const [line] = written((log) =>
      log.info({ request_id: 'r1', durationMs: 12, lane: 3n }, 'done'),
    );
    expect(line).toMatchObject({
      level: 'info',
      name: 'test',
      msg: 'done',
      request_id: 'r1',
      durationMs: 12,
      lane: '3',
    });
  });

  it('drops every field that is not listed', () => {
    const [line] = written((log) =>
      log.info(
        { headers: { cookie: 'c' }, body: 'b', email: 'a@b.c', apiKey: 'k', query: 'q' },
        'x',
      ),
    );
    expect(Object.keys(line ?? {}).sort()).toEqual(['level', 'msg', 'name', 'time']);
  });

  it('drops objects even under a listed name', () => {
    const [line] = written((log) => log.info({ reason: { password: 'hunter2' } }, 'x'));
    expect(line).not.toHaveProperty('reason');
  });

  it('drops what is bound to a child, and to the child of a child', () => {
    const lines = written((log) => {
      const child = log.child({ component: 'relay', cookie: 'c' });
      child.info('one');
      child.child({ topic: 't', secret: 's' }).info({ authorization: 'a', count: 1 }, 'two');
    });
    expect(lines).toEqual([
      { level: 'info', name: 'test', time: expect.any(String), component: 'relay', msg: 'one' },
      {
        level: 'info',
        name: 'test',
        time: expect.any(String),
        component: 'relay',
        topic: 't',
        count: 1,
        msg: 'two',
      },
    ]);
  });

  it('keeps what a service added to the list', () => {
    const [line] = written((log) => log.info({ breaker: 'open', other: 1 }, 'x'), {
      fields: ['breaker'],
    });
    expect(line).toMatchObject({ breaker: 'open' });
    expect(line).not.toHaveProperty('other');
  });

  it('clips what is long', () => {
    const [line] = written((log) => log.info({ reason: 'x'.repeat(10_000) }, 'x'));
    expect(String(line?.['reason']).length).toBeLessThan(600);
  });
});

describe('lines about a server that is away', () => {
  const err = Object.assign(new Error('the database system is starting up'), { code: '57P03' });
  const twice = (log: ReturnType<typeof logger>) => {
    log.child({ component: 'mails' }).warn({ err }, 'a background job failed');
    log.error({ err }, 'dispatching met an error');
    log.error({ err: new TypeError('no function') }, 'a mistake');
  };

  it('are one at its beginning, without a stack, and hide no fault of ours', () => {
    const [began, mistake, ...others] = written(twice, {}, 'info');
    expect(began).toMatchObject({
      level: 'warn',
      component: 'mails',
      server: 'Postgres',
      reason: 'the database system is starting up',
      operation: 'a background job failed',
    });
    expect(began).not.toHaveProperty('err');
    expect(mistake).toMatchObject({ err: { stack: expect.stringContaining('no function') } });
    expect(others).toEqual([]);
  });

  it('are all there at the level debug', () => {
    expect(written(twice)).toHaveLength(3);
  });
});

describe('a logged error', () => {
  it('says what, where and why, and nothing its library hung onto it', () => {
    const cause = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (email)=(anna@example.com) already exists.',
    });
    const [line] = written((log) => log.error({ err: new Error('append failed', { cause }) }, 'x'));
    expect(line?.['err']).toMatchObject({
      type: 'Error',
      message: 'append failed',
      stack: expect.stringContaining('logger.test'),
      cause: { message: 'duplicate key', code: '23505' },
    });
    expect(JSON.stringify(line)).not.toContain('anna@example.com');
  });

  it('may be its own cause', () => {
    const error = new Error('round');
    error.cause = error;
    expect(written((log) => log.error({ err: error }, 'x'))).toHaveLength(1);
  });

  it('may be no error at all', () => {
    const [line] = written((log) => log.error({ err: 'jn_live_a_b_c' }, 'x'));
    expect(line?.['err']).toEqual({ type: 'string', message: 'Not an Error was thrown.' });
  });

  it('is masked in message and stack', () => {
    const error = new Error(
      'GET https://p.example/cb?code=4/0Abc&state=xyz failed: Bearer ya29.a0A',
    );
    const text = JSON.stringify(written((log) => log.error(error)));
    expect(text).not.toMatch(/0Abc|xyz|ya29/);
  });
});

function written(
  use: (log: ReturnType<typeof logger>) => void,
  options: LoggerOptions = {},
  level = 'debug',
): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  use(logger('test', level, { ...options, destination }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
