import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { doubtfulAnswer } from './doubtful-answer.js';

describe('the head of an answer', () => {
  it('is read with single line feeds, folded lines and blanks', () => {
    const head =
      'HTTP/1.1 503  Busy \nRetry-After:\n\t 7 \nX-Long: a\r\n  b\nContent-Length : 2\n\nok';
    expect(read(head)).toEqual({
      statusCode: 503,
      headers: { 'retry-after': '7', 'x-long': 'a b', 'content-length': '2' },
      rest: 'ok',
    });
  });

  it('may name one length several times, and any beside a Transfer-Encoding', () => {
    const lengths = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 2, 2\r\n\r\nok';
    expect(read(lengths)).toMatchObject({ headers: { 'content-length': ['2', '2, 2'] } });
    const both = 'HTTP/1.0 410\r\nContent-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(read(both)).toMatchObject({ statusCode: 410 });
  });

  it('is read after interim responses', () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\nLink: </a>\n\n';
    expect(read(`${interim}HTTP/1.1 204 None\n\n`)).toMatchObject({ statusCode: 204, headers: {} });
  });

  it('counts as far as its lines have come', () => {
    expect(read('HTTP/1.1 410 Gone\nX-A: b\nX-')).toEqual({
      statusCode: 410,
      headers: { 'x-a': 'b' },
      rest: '',
    });
  });

  it.each([
    '',
    '\r\n',
    'hello\r\n\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 200',
    'HTTP/1.1 20\n\n',
    'HTTP/1.1 2000 OK\n\n',
    'HTTP/1.1 101 Switching Protocols\n\n',
    'HTTP/1.1 100 Continue\n\n',
    'HTTP/1.1 100 Continue\n',
    'HTTP/1.1 200 OK\nnothing\n\n',
    'HTTP/1.1 200 OK\n: value\n\n',
    'HTTP/1.1 200 OK\nx y: value\n\n',
    'HTTP/1.1 200 OK\nx-nul: a\0\n\n',
    'HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n\n',
    'HTTP/1.1 200 OK\nContent-Length: -1\n\n',
    'HTTP/1.1 200 OK\nContent-Length:\n\n',
  ])('is none when it is %j', (head) => {
    expect(read(head)).toBeUndefined();
  });

  it('is read or not, and soon, whatever it is made of', () => {
    const pieces = ['\r', '\n', ' ', '\t', ':', 'a', ',', '1', '\0', 'HTTP/1.1 200 OK\n'];
    const piece = fc.tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: 30_000 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 3 }), (parts) => {
        const head = parts.map(([text, times]) => text.repeat(times).slice(0, 30_000)).join('');
        expect([200, undefined]).toContain(read(`HTTP/1.1 200 OK\nx: ${head}`)?.statusCode);
      }),
    );
  });
});

function read(head: string) {
  const answer = doubtfulAnswer(Buffer.from(head, 'latin1'));
  return answer && { ...answer, rest: answer.rest.toString() };
}
