import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

const usable = {
  JUNCTION_ENV: 'development',
  PUBLIC_URL: 'http://localhost:8080',
  ALLOW_HTTP_PUBLIC_URL: 'true',
  GRPC_PLAINTEXT: 'true',
  KAFKA_PLAINTEXT: 'true',
  KAFKA_BROKERS: 'localhost:9092',
  AUTH_DATABASE_URL: 'postgres://auth@localhost/auth',
  SERVICE_ACCOUNTS_FILE: 'service-accounts.json',
  VAULT_KEYS: 'k1:irrelevant-here',
};

describe('the configuration', () => {
  it('has the ports and times of the design unless told otherwise', () => {
    expect(loadConfig(usable)).toMatchObject({
      http: { port: 7001 },
      grpc: { port: 7101 },
      accessTokenTtlS: 600,
      reuseWindowMs: 10_000,
      trustedProxies: ['loopback'],
    });
  });

  it('names every mistake at once', () => {
    const { AUTH_DATABASE_URL: _, SERVICE_ACCOUNTS_FILE: __, ...rest } = usable;
    const load = () => loadConfig({ ...rest, ACCESS_TOKEN_TTL_S: '3600' });
    for (const name of ['AUTH_DATABASE_URL', 'SERVICE_ACCOUNTS_FILE', 'ACCESS_TOKEN_TTL_S']) {
      expect(load).toThrow(name);
    }
  });
});
