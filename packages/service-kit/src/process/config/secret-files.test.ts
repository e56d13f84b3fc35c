import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from './parse-config.js';
import { withSecretFiles } from './secret-files.js';

const folder = mkdtempSync(path.join(tmpdir(), 'junction-secret-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  const place = path.join(folder, name);
  writeFileSync(place, text);
  return place;
};

describe('secrets from files', () => {
  it.each(['AUTH_DATABASE_URL', 'VAULT_KEYS', 'SERVICE_CLIENT_SECRET', 'KAFKA_SASL_PASSWORD'])(
    '%s is read, without the line break at its end',
    (name) => {
      const env = withSecretFiles({ OTHER: 'kept', [`${name}_FILE`]: file(name, ' a\nb \n') });
      expect(env).toMatchObject({ OTHER: 'kept', [name]: ' a\nb ' });
    },
  );

  it.each(['GRPC_TLS_KEY_FILE', 'PROVIDERS_FILE', 'SERVICE_ACCOUNTS_FILE', 'WEBHOOK_CA_FILE'])(
    '%s stays a path',
    (name) => {
      const env = { [name]: file(name, 'contents') };
      expect(withSecretFiles(env)).toEqual(env);
    },
  );

  it('takes an empty variable for one that is not set', () => {
    const VAULT_KEYS_FILE = file('keys', 'k1:x');
    expect(withSecretFiles({ VAULT_KEYS: '', VAULT_KEYS_FILE })['VAULT_KEYS']).toBe('k1:x');
    expect(withSecretFiles({ VAULT_KEYS: 'k1:y', VAULT_KEYS_FILE: '' })['VAULT_KEYS']).toBe('k1:y');
  });

  it('names every mistake at once, and no secret', () => {
    const env = {
      VAULT_KEYS: 'k1:given-twice',
      VAULT_KEYS_FILE: file('twice', 'k1:other'),
      SERVICE_CLIENT_SECRET_FILE: path.join(folder, 'missing'),
    };
    expect(() => withSecretFiles(env)).toThrow(ConfigError);
    expect(() => withSecretFiles(env)).toThrow(
      /VAULT_KEYS_FILE: .*keep one.*\n.*SERVICE_CLIENT_SECRET_FILE: .*ENOENT/,
    );
    expect(() => withSecretFiles(env)).not.toThrow(/given-twice|k1:other/);
  });
});
