import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { curlOf } from '../src/deliveries/curl.js';

/** Returns the words into which a shell splits the command. */
function wordsOf(command: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1);
}

describe('the command that sends a request again', () => {
  it('has the url, the headers and the body as they were sent, whatever is in them', () => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': '12',
      'X-Own': `it's $(touch x) "\`id\`" \\`,
    };
    const body = `{"a":"it''s \\n $HOME","b":[1]}`;
    const command = curlOf({ method: 'POST', url: 'https://a.example/?q={1}', headers }, body);
    expect(wordsOf(command)).toEqual([
      '--globoff',
      'https://a.example/?q={1}',
      '-H',
      'Content-Type: application/json',
      '-H',
      `X-Own: ${headers['X-Own']}`,
      '--data-raw',
      body,
    ]);
  });
});
