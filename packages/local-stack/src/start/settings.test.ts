import { describe, expect, it } from '@jest/globals';
import { LocalStackError } from '../local-stack-error.js';
import { readSettings } from './settings.js';

describe('the settings of npm start', () => {
  it('take an empty variable for one that is not set', () => {
    const env = { GATEWAY_PORT: '', JUNCTION_DATA_DIR: '' };
    expect(readSettings(env, '/checkout')).toEqual(readSettings({}, '/checkout'));
  });

  it('ask for any free port with 0', () => {
    expect(readSettings({ KAFKA_PORT: '0' }, '/checkout').ports.KAFKA_PORT).toBe(0);
  });

  it('are refused with every variable that is not usable, in words for the reader', () => {
    const read = () => readSettings({ GATEWAY_PORT: 'front', KAFKA_PORT: '99999' }, '/checkout');
    expect(read).toThrow(LocalStackError);
    expect(read).toThrow(/GATEWAY_PORT[^]*KAFKA_PORT/);
  });
});
