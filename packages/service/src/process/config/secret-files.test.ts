import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ConfigError, parseConfig } from './parse-config.js';
import { readWithFiles } from './secret-files.js';
import { port } from './variables.js';

const folder = mkdtempSync(path.join(tmpdir(), 'junction-secret-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  const place = path.join(folder, name);
  writeFileSync(place, text);
  return place;
};

const withFiles = (env: Readonly<Record<string, string>>) => readWithFiles(env, (all) => all);

describe('secrets from files', () => {
  it.each(['AUTH_DATABASE_URL', 'VAULT_KEYS', 'SERVICE_CLIENT_SECRET', 'KAFKA_SASL_PASSWORD'])(
    '%s is read, without the line break at its end',
    (name) => {
      const env = withFiles({ OTHER: 'kept', [`${name}_FILE`]: file(name, ' a\nb \n') });
      expect(env).toMatchObject({ OTHER: 'kept', [name]: ' a\nb ' });
    },
  );

  it.each(['GRPC_TLS_KEY_FILE', 'PROVIDERS_FILE', 'SERVICE_ACCOUNTS_FILE', 'WEBHOOK_CA_FILE'])(
    '%s stays a path',
    (name) => {
      const env = { [name]: file(name, 'contents') };
      expect(withFiles(env)).toEqual(env);
    },
  );

  it('takes an empty variable for one that is not set', () => {
    const VAULT_KEYS_FILE = file('keys', 'k1:x');
    expect(withFiles({ VAULT_KEYS: '', VAULT_KEYS_FILE })['VAULT_KEYS']).toBe('k1:x');
    expect(withFiles({ VAULT_KEYS: 'k1:y', VAULT_KEYS_FILE: '' })['VAULT_KEYS']).toBe('k1:y');
  });

  it('names every mistake at once, and no secret', () => {
    const env = {
      VAULT_KEYS: 'k1:given-twice',
      VAULT_KEYS_FILE: file('twice', 'k1:other'),
      SERVICE_CLIENT_SECRET_FILE: path.join(folder, 'missing'),
    };
    expect(() => withFiles(env)).toThrow(ConfigError);
    expect(() => withFiles(env)).toThrow(
      /VAULT_KEYS_FILE: .*keep one.*\n.*SERVICE_CLIENT_SECRET_FILE: .*ENOENT/,
    );
    expect(() => withFiles(env)).not.toThrow(/given-twice|k1:other/);
  });

  it('hides no mistake of the other variables, and calls nothing missing that it could not read', () => {
    const env = { KAFKA_SASL_PASSWORD_FILE: path.join(folder, 'missing'), HTTP_PORT: 'seven' };
    const schema = z.object({ KAFKA_SASL_PASSWORD: z.string(), HTTP_PORT: port });
    const read = () => readWithFiles(env, (all) => parseConfig(schema, all));
    expect(read).toThrow(/KAFKA_SASL_PASSWORD_FILE: .*ENOENT.*\n.*HTTP_PORT: /);
    expect(read).not.toThrow(/KAFKA_SASL_PASSWORD: /);
  });
});
