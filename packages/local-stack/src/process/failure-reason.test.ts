import { describe, expect, it } from '@jest/globals';
import { reasonIn } from './failure-reason.js';

describe('the reasons that a program ended for', () => {
  it('are the messages of its fatal records, without stacks and what came after', () => {
    const err = { message: 'PROVIDERS_FILE: /p.yaml cannot be read.', stack: 'at openProviders' };
    const log = [
      JSON.stringify({ level: 'info', msg: 'starting' }),
      JSON.stringify({ level: 'fatal', err, msg: 'could not start' }),
      JSON.stringify({ level: 'info', msg: 'stopped' }),
    ].join('\n');
    expect(reasonIn(log)).toBe('PROVIDERS_FILE: /p.yaml cannot be read.');
  });

  it('are the last lines where it left no record', () => {
    const log = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n');
    expect(reasonIn(log).split('\n')).toHaveLength(15);
    expect(reasonIn(log)).toContain('line 39');
  });
});
