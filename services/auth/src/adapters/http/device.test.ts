import { describe, expect, it } from '@jest/globals';
import { deviceOf } from './device.js';

describe('a device', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome on Windows',
    ],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['our-cli/1.2 (build 7)', 'our-cli/1.2'],
    ['', undefined],
    [undefined, undefined],
    ['\u0000\u00e9', undefined],
  ])('that calls itself %j is %s', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });

  it('is no longer than a line, whatever it calls itself', () => {
    expect(deviceOf('x'.repeat(5_000))).toHaveLength(100);
  });
});
