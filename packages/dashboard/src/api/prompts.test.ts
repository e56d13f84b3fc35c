import { describe, expect, it } from '@jest/globals';
import { PromptCancelledError, signIns } from './prompts.js';

describe('a dialog that requests wait for', () => {
  it('is one for all that need it at the same time, and lets them go on together', async () => {
    const waiting = Promise.all([signIns.demand(), signIns.demand()]);
    signIns.current()?.succeed();
    expect(await waiting).toEqual([undefined, undefined]);
    expect(signIns.current()).toBeUndefined();
  });

  it('fails them when it is closed, and opens again for the next', async () => {
    const refused = signIns.demand();
    signIns.current()?.cancel();
    await expect(refused).rejects.toThrow(PromptCancelledError);
    const again = signIns.demand();
    signIns.current()?.succeed();
    await again;
  });

  it('is heard only while a page that can show it is there', () => {
    expect(signIns.isHeard()).toBe(false);
    const leave = signIns.subscribe(() => undefined);
    expect(signIns.isHeard()).toBe(true);
    leave();
    expect(signIns.isHeard()).toBe(false);
  });
});
