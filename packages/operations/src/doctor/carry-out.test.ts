import { expect, it } from '@jest/globals';
import { carryOut } from './carry-out.js';
import { type Check, CheckError, warning } from './finding.js';

const check = (name: string, look: Check['look'], ...needs: string[]): Check => ({
  name,
  remedy: `Mend ${name}.`,
  look,
  needs,
});
const fails = (message: string) => async () => {
  throw new Error(message, { cause: new Error('ECONNREFUSED') });
};
const never = async () => {
  throw new Error('This check has nothing to see.');
};

it('leaves out what needs a check that threw, and names it in one warning behind the problem', async () => {
  const findings = await carryOut([
    check('database', fails('The database is away.')),
    check('migrations', never, 'database'),
    check('key ring', never, 'migrations'),
    check('topics', async () => 'All are there.'),
  ]);
  expect(findings).toEqual([
    {
      check: 'database',
      state: 'problem',
      found: 'The database is away. (ECONNREFUSED)',
      remedy: 'Mend database.',
    },
    {
      check: 'not looked at',
      state: 'warning',
      found:
        'migrations, key ring: nothing can be seen of that, because of the problem of "database".',
      remedy: 'Mend that one, then ask again.',
    },
    { check: 'topics', state: 'ok', found: 'All are there.', remedy: '' },
  ]);
});

it('leaves out what needs several checks once one of them has thrown', async () => {
  const findings = await carryOut([
    check('migrations', async () => 'All have been run.'),
    check('topics', fails('The brokers are away.')),
    check('consumers', never, 'migrations', 'topics'),
  ]);
  expect(findings.map(({ check, state }) => [check, state])).toEqual([
    ['migrations', 'ok'],
    ['topics', 'problem'],
    ['not looked at', 'warning'],
  ]);
});

it('carries out what needs a check that only complains', async () => {
  const findings = await carryOut([
    check('database', async () => [warning('The role is a superuser.', 'Use another.')]),
    check('migrations', async () => 'All have been run.', 'database'),
  ]);
  expect(findings.map(({ state }) => state)).toEqual(['warning', 'ok']);
});

it('names the broker that did not answer in time, which the message of kafkajs does not', async () => {
  const late = Object.assign(new Error('Connection timeout'), { broker: '10.0.0.5:9092' });
  const look = async () => {
    throw new Error(late.message, { cause: late });
  };
  const [finding] = await carryOut([check('topics', look)]);
  expect(finding?.found).toBe('Connection timeout (Connection timeout: 10.0.0.5:9092)');
});

it('has the remedy of the error where the error knows one', async () => {
  const look = async () => {
    throw new CheckError('auth refuses a token.', 'Use the secret of the service account.');
  };
  expect(await carryOut([check('service account', look)])).toMatchObject([
    { found: 'auth refuses a token.', remedy: 'Use the secret of the service account.' },
  ]);
});
