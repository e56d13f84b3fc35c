import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

const usable = {
  JUNCTION_ENV: 'development',
  PUBLIC_URL: 'http://localhost:8080',
  KAFKA_BROKERS: 'localhost:9092',
  AUTH_DATABASE_URL: 'postgres://auth@localhost/auth',
  SERVICE_ACCOUNTS_FILE: 'service-accounts.json',
  VAULT_KEYS: 'k1:irrelevant-here',
};

const production = {
  JUNCTION_ENV: 'production',
  PUBLIC_URL: 'https://junction.example',
  GRPC_TLS_CERT_FILE: 'tls.crt',
  GRPC_TLS_KEY_FILE: 'tls.key',
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

  it('requires verified addresses outside development, and then a mail server', () => {
    const requires = (env: object) => loadConfig({ ...usable, ...env }).requireVerifiedEmail;
    const SMTP_URL = 'smtps://mail.example';
    expect(requires({})).toBe(false);
    expect(requires({ SMTP_URL })).toBe(false);
    expect(requires({ SMTP_URL, REQUIRE_VERIFIED_EMAIL: 'true' })).toBe(true);
    expect(() => requires({ REQUIRE_VERIFIED_EMAIL: 'true' })).toThrow(
      /REQUIRE_VERIFIED_EMAIL is on.*SMTP_URL/,
    );
    expect(requires({ ...production, SMTP_URL })).toBe(true);
    expect(requires({ ...production, REQUIRE_VERIFIED_EMAIL: 'false' })).toBe(false);
    expect(() => requires(production)).toThrow(/REQUIRE_VERIFIED_EMAIL is on.*SMTP_URL/);
  });

  it('limits sign-in by the parts of SIGN_IN_LIMITS, each of which has a default', () => {
    const limits = (SIGN_IN_LIMITS?: string) => loadConfig({ ...usable, SIGN_IN_LIMITS }).limits;
    const byDefault = {
      loginOfAccount: { points: 10, windowS: 900 },
      loginOfNetwork: { points: 100, windowS: 900 },
      registration: { points: 1_000, windowS: 600 },
    };
    expect(limits()).toEqual(byDefault);
    const loginOfAccount = { points: 3, windowS: 60 };
    expect(limits('account=3/60')).toEqual({ ...byDefault, loginOfAccount });
    for (const wrong of ['soon', 'account=3', 'client=3/60', 'account=0/60', 'account=3/86401']) {
      expect(() => limits(wrong)).toThrow(/SIGN_IN_LIMITS: .*account=10\/900/);
    }
  });

  it('names every mistake at once', () => {
    const { AUTH_DATABASE_URL: _, SERVICE_ACCOUNTS_FILE: __, ...rest } = usable;
    const load = () => loadConfig({ ...rest, ACCESS_TOKEN_TTL_S: '3600' });
    for (const name of ['AUTH_DATABASE_URL', 'SERVICE_ACCOUNTS_FILE', 'ACCESS_TOKEN_TTL_S']) {
      expect(load).toThrow(name);
    }
  });
});
