import { describe, expect, it } from '@jest/globals';
import { keySource, openKeyRing } from './key-source.js';

const KEY = Buffer.alloc(32, 1).toString('base64url');
const exec = (...command: readonly string[]) => `exec:${JSON.stringify(command)}`;
const printing = (script: string) => exec(process.execPath, '-e', script);

describe('a key ring', () => {
  it.each([
    [`k3:${KEY},k1:${KEY}`, ['k3', 'k1']],
    [`exec:${KEY}`, ['exec']],
    [printing(`console.log('k3:${KEY},k1:${KEY}')`), ['k3', 'k1']],
  ])('is what is given, or what a command prints: %#', async (text, ids) => {
    expect((await openKeyRing(keySource(text))).ids).toEqual(ids);
  });

  it.each([
    [
      printing(`console.log('k1:${KEY}'); console.error('${KEY}'); process.exit(3)`),
      'ended with 3',
    ],
    [printing(`process.kill(process.pid, 'SIGKILL')`), 'was ended by SIGKILL'],
    [exec('/nowhere/kms', KEY), 'failed (ENOENT)'],
    [printing(`console.log('x'.repeat(99_999))`), 'MAXBUFFER'],
    [printing(`console.log('${KEY}')`), 'entry 1 does not begin with an id'],
    [`exec:["${KEY}`, 'does not read exec:'],
    [exec('', KEY), 'does not read exec:'],
    [`exec:[1, "${KEY}"]`, 'does not read exec:'],
  ])('that does not come is told by its mistake and shows no key: %#', async (text, mistake) => {
    const refused = (async () => openKeyRing(keySource(text)))();
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_key_ring',
      message: expect.stringContaining(mistake),
    });
    await expect(refused).rejects.not.toThrow(KEY.slice(0, 8));
  });
});
