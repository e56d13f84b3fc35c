import { describe, expect, it } from '@jest/globals';
import { hostOf, hrefOf } from './href.js';

describe('a url', () => {
  it('is the same webhook in another notation, and with another fragment', () => {
    const href = 'https://receiver.example/in?a=1';
    expect(hrefOf('HTTPS://Receiver.example:443/in?a=1#part')).toBe(href);
    expect(hrefOf(href)).toBe(href);
  });

  it.each([
    ['https://receiver.example:8443/secret?key=1', 'receiver.example:8443'],
    ['receiver', ''],
  ])('%s shows others its host alone: %j', (url, host) => {
    expect(hostOf(url)).toBe(host);
  });
});
