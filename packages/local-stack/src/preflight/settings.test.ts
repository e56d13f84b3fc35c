import { describe, expect, it } from '@jest/globals';
import { LocalStackError } from '../local-stack-error.js';
import { readSettings } from '../start/settings.js';
import { settingsOf } from './settings.mjs';

const mistakes = (env: NodeJS.ProcessEnv) => settingsOf(env, '/checkout').mistakes;

describe('the settings of npm start', () => {
  it('take an empty variable for one that is not set', () => {
    const env = { GATEWAY_PORT: '', JUNCTION_DATA_DIR: '' };
    expect(settingsOf(env, '/checkout')).toEqual(settingsOf({}, '/checkout'));
    expect(mistakes({})).toEqual([]);
  });

  it('ask for any free port with 0, as often as they like', () => {
    const { ports } = settingsOf({ KAFKA_PORT: '0', GATEWAY_PORT: '0' }, '/checkout');
    expect(ports).toMatchObject({ KAFKA_PORT: 0, GATEWAY_PORT: 0, POSTGRES_PORT: 5433 });
    expect(mistakes({ KAFKA_PORT: '0', GATEWAY_PORT: '0' })).toEqual([]);
  });

  it.each(['front', '-1', '80.5', '65536', '0x10', '8080 '])('refuse %j for a port', (port) => {
    expect(mistakes({ GATEWAY_PORT: port })).toEqual([
      `GATEWAY_PORT is "${port}"; it must be a whole number from 1 to 65535, or 0 for any free port.`,
    ]);
  });

  it('refuse a port that is given twice, also where one of the two is not set', () => {
    const env = { GATEWAY_PORT: '8093', AUTH_HTTP_PORT: '7500', WEBHOOKS_GRPC_PORT: '7500' };
    expect(mistakes(env)).toEqual([
      'GATEWAY_PORT and GLOBEX_PORT are both 8093; give each a port of its own.',
      'AUTH_HTTP_PORT and WEBHOOKS_GRPC_PORT are both 7500; give each a port of its own.',
    ]);
  });

  it('move all ports by PORT_OFFSET, except those that a variable names', () => {
    const { ports } = settingsOf({ PORT_OFFSET: '100', KAFKA_PORT: '9000' }, '/checkout');
    expect(ports).toMatchObject({ GATEWAY_PORT: 8180, AUTH_GRPC_PORT: 7111, KAFKA_PORT: 9000 });
    for (const PORT_OFFSET of ['-1', 'far', '56444']) {
      expect(mistakes({ PORT_OFFSET })).toEqual([
        `PORT_OFFSET is "${PORT_OFFSET}"; it must be a whole number from 0 to 56443.`,
      ]);
    }
  });

  it('keep starts apart whose offsets are different multiples of 100', () => {
    const { ports } = settingsOf({}, '/checkout');
    const lastDigits = Object.values(ports).map((port) => port % 100);
    expect(new Set(lastDigits).size).toBe(lastDigits.length);
  });

  it('leave the port of a server alone that the environment names', () => {
    const KAFKA_BROKERS = 'kafka:9092';
    expect(mistakes({ KAFKA_PORT: '8080', KAFKA_BROKERS })).toEqual([]);
  });

  it('are refused with every variable that is not usable, in words for the reader', () => {
    const read = () => readSettings({ GATEWAY_PORT: 'front', KAFKA_PORT: '99999' }, '/checkout');
    expect(read).toThrow(LocalStackError);
    expect(read).toThrow(/GATEWAY_PORT[^]*KAFKA_PORT/);
  });
});
