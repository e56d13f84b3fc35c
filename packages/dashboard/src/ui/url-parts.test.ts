import { describe, expect, it } from '@jest/globals';
import { piecesOf, urlParts } from './url-parts.js';

describe('the parts of an address', () => {
  it.each([
    ['https://receiver.example/hook?team=a', 'https://', 'receiver.example', '/hook?team=a'],
    ['HTTPS://Receiver.example:443', 'HTTPS://', 'Receiver.example:443', ''],
    ['http://[::1]:80?x', 'http://', '[::1]:80', '?x'],
    ['https:receiver.example', '', 'https:receiver.example', ''],
  ])('are found in %s', (url, scheme, host, rest) => {
    expect(urlParts(url)).toEqual({ scheme, host, rest });
  });
});

it('may break an address behind its marks alone', () => {
  expect(piecesOf('https://a.example/team/notes?day=today').join('|')).toBe(
    'https:/|/|a.|example/|team/|notes?|day=|today',
  );
  expect(piecesOf('ada@a.example').join('|')).toBe('ada@|a.|example');
});
