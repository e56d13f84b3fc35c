import { describe, expect, it } from '@jest/globals';
import { deviceOf } from './device.js';

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';

describe('a device', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 'Chrome on Android'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/140.0.0.0`,
      'Microsoft Edge on Windows',
    ],
    ['curl/8.5.0', 'curl'],
    ['python-requests/2.32.3', 'Python'],
    ['node', 'Node.js'],
    ['junction-cli', 'junction'],
  ])('that calls itself %j is %s', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });

  it.each([
    undefined,
    '',
    '\u0000\u00e9',
    'our-cli/1.2 (build 7)',
    'your-bank.example says: call 0900/123 now',
    'Linux; Windows NT 10.0; your-bank/1.0 ',
    'x'.repeat(5_000),
    'Mozilla/5.0 (X11; Linux x86_64) your-bank.example/1.0 ',
  ])('is unknown where it says %j', (userAgent) => {
    expect(deviceOf(userAgent)).toBe('unknown device');
  });

  it('is never in the words of the header, and soon found, however long that is', () => {
    const startedAt = performance.now();
    for (const said of ['(', 'Version/', 'Chrome/1 ', 'a/b ', '<b>']) {
      const device = deviceOf(`Mozilla/5.0 (X11; Linux) Firefox/1 evil ${said.repeat(4_000)}`);
      expect(['Firefox on Linux', 'Chrome on Linux', 'unknown device']).toContain(device);
    }
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
