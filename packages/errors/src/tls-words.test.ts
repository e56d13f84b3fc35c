import { expect, it } from '@jest/globals';
import { tlsInWords } from './tls-words.js';

it.each([
  [
    'Connection error: 00AB34:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/ssl/record.c:354:\n',
    'Connection error: what listens there speaks no TLS',
  ],
  ['error:1E08010C:DECODER routines::unsupported', 'it holds no key in a form that can be read'],
  ['error:0A000999:SSL routines::a new fault', 'TLS fails: a new fault'],
  ['connect ECONNREFUSED 127.0.0.1:2', 'connect ECONNREFUSED 127.0.0.1:2'],
])('%s', (text, words) => {
  expect(tlsInWords(text)).toBe(words);
});
