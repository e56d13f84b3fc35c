import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

const environment = {
  WEBHOOKS_DATABASE_URL: 'postgres://webhooks:w0rd-of-its-own@db/webhooks',
  KAFKA_BROKERS: 'kafka:9092',
  PUBLIC_URL: 'https://junction.example',
  VAULT_KEYS: 'k1:dGhpcyBpcyBub3QgdGhlIGtleSB5b3UgbG9vayBmb3I',
  AUTH_JWKS_URL: 'https://auth/.well-known/jwks.json',
  AUTH_TOKEN_URL: 'https://auth/oauth/token',
  AUTH_GRPC_ADDRESS: 'auth:7101',
  SERVICE_CLIENT_ID: 'cli_dispatcher',
  SERVICE_CLIENT_SECRET: 'e2b1c7a7',
  GRPC_TLS_CERT_FILE: '/tls/cert.pem',
  GRPC_TLS_KEY_FILE: '/tls/key.pem',
};

describe('the configuration', () => {
  it('retries ten times in three days, refuses private targets and listens on its own ports', () => {
    const config = loadConfig(environment);
    expect(config.retry.delaysMs).toHaveLength(9);
    expect(config.retry.delaysMs[0]).toBe(5_000);
    expect(config).toMatchObject({
      allowPrivateTargets: false,
      breakerResetMs: 30_000,
      attemptTimeoutMs: 15_000,
      webhooksPerUserMax: 50,
      retention: { days: 30, seenEventDays: 7 },
      http: { port: 7_003 },
      grpc: { port: 7_103 },
    });
  });

  it('takes another schedule and another rest, in seconds, and another number of webhooks', () => {
    const config = loadConfig({
      ...environment,
      WEBHOOK_RETRY_SCHEDULE_S: '0.5, 60',
      WEBHOOK_BREAKER_RESET_S: '7',
      WEBHOOKS_PER_USER_MAX: '5',
    });
    expect(config.retry.delaysMs).toEqual([500, 60_000]);
    expect(config).toMatchObject({ breakerResetMs: 7_000, webhooksPerUserMax: 5 });
  });

  it('takes a proxy, which is a host and nothing on it', () => {
    const load = (WEBHOOK_EGRESS_PROXY?: string) =>
      loadConfig({
        ...environment,
        ...(WEBHOOK_EGRESS_PROXY !== undefined && { WEBHOOK_EGRESS_PROXY }),
      });
    expect(load().egressProxy).toBeUndefined();
    expect(load('http://junction:word@proxy:3128').egressProxy).toBe(
      'http://junction:word@proxy:3128',
    );
    for (const wrong of ['proxy:3128', 'socks5://proxy:1080', 'http://proxy:3128/path']) {
      expect(() => load(wrong)).toThrow(/WEBHOOK_EGRESS_PROXY/);
    }
  });

  it('allows private targets in development alone, unless they are refused there too', () => {
    const allows = (env: object) => loadConfig({ ...environment, ...env }).allowPrivateTargets;
    const JUNCTION_ENV = 'development';
    expect(allows({ JUNCTION_ENV })).toBe(true);
    expect(allows({ JUNCTION_ENV, WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' })).toBe(false);
    expect(allows({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' })).toBe(false);
    expect(allows({ JUNCTION_ENV: 'staging' })).toBe(false);
  });

  it('names what is missing or wrong, all at once', () => {
    const { WEBHOOKS_DATABASE_URL: _, ...rest } = environment;
    const load = () =>
      loadConfig({
        ...rest,
        WEBHOOK_RETRY_SCHEDULE_S: '5,soon',
        RETENTION_DAYS: '6',
        WEBHOOKS_PER_USER_MAX: '0',
      });
    expect(load).toThrow(/WEBHOOKS_DATABASE_URL/);
    expect(load).toThrow(/WEBHOOK_RETRY_SCHEDULE_S/);
    expect(load).toThrow(/RETENTION_DAYS/);
    expect(load).toThrow(/WEBHOOKS_PER_USER_MAX/);
  });
});
