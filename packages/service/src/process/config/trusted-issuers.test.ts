import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { trustedIssuers } from './trusted-issuers.js';

const folder = mkdtempSync(path.join(tmpdir(), 'trusted-issuers-'));
let files = 0;

describe('TRUSTED_ISSUERS_FILE', () => {
  it('as we ship the example is usable', () => {
    const example = path.resolve(
      import.meta.dirname,
      '../../../../../infra/trusted-issuers.example.yaml',
    );
    const [issuer] = trustedIssuers.parse(example);
    expect(issuer).toMatchObject({ audience: 'junction-api', signIn: { scopes: ['openid'] } });
    expect(issuer?.signIn?.secretVariable).toMatch(/_CLIENT_SECRET$/);
  });

  it('allows asymmetric algorithms alone, and three of them without being told', () => {
    expect(read()[0]?.algorithms).toEqual(['RS256', 'ES256', 'EdDSA']);
    for (const algorithm of ['HS256', 'none', 'dir']) {
      expect(mistakeOf(`algorithms: [${algorithm}]`)).toContain('issuers.acme.algorithms.0: ');
    }
  });

  it('takes http from this machine alone', () => {
    expect(read('issuer: http://localhost:8090')[0]?.issuer).toBe('http://localhost:8090');
    for (const issuer of ['http://acme.example', 'https://acme.example/?a=b', 'acme', 'ftp://a.b'])
      expect(mistakeOf(`issuer: ${issuer}`)).toContain('issuers.acme.issuer: must be an https URL');
  });

  it('refuses an audience by which an ID token would pass for an access token', () => {
    expect(mistakeOf('sign_in: { client_id: junction-api }')).toContain('issuers.acme.audience: ');
  });

  it('keeps secrets out of the file, and out of its mistakes', () => {
    const mistake = mistakeOf('sign_in: { client_id: a, client_secret: hunter2 }');
    expect(mistake).toContain('issuers.acme.sign_in.client_secret: must be env:NAME');
    expect(mistake).not.toContain('hunter2');
  });

  it('says what is wrong with it', () => {
    const messageOf = (file: string) => trustedIssuers.safeParse(file).error?.issues[0]?.message;
    expect(messageOf('/nowhere/at/all.yaml')).toContain('cannot be read (ENOENT)');
    expect(messageOf(written('issuers: {'))).toContain('is not YAML');
    expect(messageOf(written('issuers: { password: {} }'))).toContain('issuers.password');
    expect(mistakeOf('typo: 1')).toContain('Unrecognized key: "typo"');
  });
});

const lines = (changes: string) => {
  const name = changes.split(':')[0];
  const usual = ['display_name: Acme', 'issuer: https://acme.example', 'audience: junction-api'];
  return [...usual.filter((line) => !line.startsWith(`${name}:`)), changes];
};

const file = (changes: string) =>
  written(
    `issuers:\n  acme:\n${lines(changes)
      .map((line) => `    ${line}\n`)
      .join('')}`,
  );

const read = (changes = '') => trustedIssuers.parse(file(changes));

const mistakeOf = (changes: string): string =>
  trustedIssuers.safeParse(file(changes)).error?.issues[0]?.message ?? '';

function written(text: string): string {
  const name = path.join(folder, `${++files}.yaml`);
  writeFileSync(name, text);
  return name;
}
