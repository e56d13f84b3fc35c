import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { commonConfig, commonEnvironment } from './common-environment.js';
import { formerSettings } from './former-settings.js';
import { ConfigError, parseConfig } from './parse-config.js';
import { list, port, postgresUrl } from './variables.js';

const schema = z
  .object({ ...commonEnvironment, HTTP_PORT: port.default(7002), DATABASE_URL: postgresUrl })
  .transform((env) => ({ ...commonConfig(env), databaseUrl: env.DATABASE_URL }));

const SAFE = {
  GRPC_PORT: '7102',
  GRPC_TLS_CERT_FILE: '/run/tls/tls.crt',
  GRPC_TLS_KEY_FILE: '/run/tls/tls.key',
  KAFKA_BROKERS: 'kafka-0:9093, kafka-1:9093',
  PUBLIC_URL: 'https://junction.example/',
  VAULT_KEYS: 'k1:3q2-7wAAb1xQ9mD0rJtX5uZcVnBkLpHsGfEyWaTiMoU',
  DATABASE_URL: 'postgres://svc:x7Kq_93mZp@db/integrations',
};

describe('the environment', () => {
  it('becomes a config in the words of the code', () => {
    expect(parseConfig(schema, SAFE)).toMatchObject({
      environment: 'production',
      logLevel: 'info',
      http: { host: '127.0.0.1', port: 7002 },
      grpc: { host: '127.0.0.1', port: 7102 },
      grpcSecurity: { plaintext: false, certFile: '/run/tls/tls.crt' },
      kafka: { brokers: ['kafka-0:9093', 'kafka-1:9093'], topicPrefix: '', sasl: undefined },
      publicUrl: 'https://junction.example',
    });
  });

  it('has all its mistakes named at once', () => {
    const { PUBLIC_URL: _, KAFKA_BROKERS: __, ...rest } = SAFE;
    expect(
      mistakes({
        ...rest,
        GRPC_PORT: 'seven',
        LOG_LEVEL: 'loud',
        GRPC_MUTUAL_TLS: 'yes',
        DATABASE_URL: 'mysql://db',
      }),
    ).toEqual([
      'DATABASE_URL',
      'GRPC_MUTUAL_TLS',
      'GRPC_PORT',
      'KAFKA_BROKERS',
      'LOG_LEVEL',
      'PUBLIC_URL',
    ]);
  });

  it('never has a value repeated in the message', () => {
    const env = { ...SAFE, DATABASE_URL: 'not-a-url-but-hunter2', LOG_LEVEL: 'hunter2' };
    expect(messageFor(env)).toContain('LOG_LEVEL');
    expect(messageFor(env)).not.toContain('hunter2');
  });

  it('counts an empty variable as absent', () => {
    expect(parseConfig(schema, { ...SAFE, HTTP_PORT: '' }).http.port).toBe(7002);
    expect(messageFor({ ...SAFE, PUBLIC_URL: '' })).toContain('PUBLIC_URL: is missing');
  });

  it('takes a proxy that is a URL, and says when it is none', () => {
    const HTTPS_PROXY = 'http://junction:word@proxy.example:3128';
    const { proxies } = parseConfig(schema, { ...SAFE, HTTPS_PROXY, NO_PROXY: 'a.example' });
    expect(proxies).toEqual({ httpsProxy: HTTPS_PROXY, noProxy: 'a.example' });
    expect(messageFor({ ...SAFE, HTTP_PROXY: 'proxy.example:3128' })).toContain(
      'HTTP_PROXY: must be an http(s) URL',
    );
  });

  it.each([
    ['HTTP_PORT', '0'],
    ['PUBLIC_URL', 'https://junction.example:0'],
    ['HTTPS_PROXY', 'http://proxy.example:0'],
    ['DATABASE_URL', 'postgres://a:b@db:00/a'],
  ])('takes no port 0 in %s', (name, value) => {
    expect(messageFor({ ...SAFE, [name]: value })).toContain(`${name}: `);
  });

  it('names the bad item of a list', () => {
    const brokers = z.object({ BROKERS: list });
    expect(() => parseConfig(brokers, { BROKERS: ' , ' })).toThrow(
      'BROKERS: must name at least one',
    );
  });
});

describe('a permission of development', () => {
  const { GRPC_TLS_CERT_FILE: _, GRPC_TLS_KEY_FILE: __, ...bare } = SAFE;
  const local = { ...bare, JUNCTION_ENV: 'development', PUBLIC_URL: 'http://localhost:8080' };

  it('is allowed by its name, and by none else', () => {
    expect(parseConfig(schema, local)).toMatchObject({
      grpcSecurity: { plaintext: true },
      grpcReflection: true,
      kafka: { plaintext: true },
      publicUrl: 'http://localhost:8080',
    });
    for (const JUNCTION_ENV of ['', 'production', 'staging', 'Development']) {
      expect(parseConfig(schema, { ...SAFE, JUNCTION_ENV })).toMatchObject({
        grpcSecurity: { plaintext: false },
        grpcReflection: false,
        kafka: { plaintext: false },
      });
      expect(mistakes({ ...local, JUNCTION_ENV })).toEqual([
        'GRPC_TLS_CERT_FILE',
        'GRPC_TLS_KEY_FILE',
        'PUBLIC_URL',
      ]);
    }
  });

  it('is not done where a file of TLS is named', () => {
    const { GRPC_TLS_CERT_FILE, GRPC_TLS_KEY_FILE } = SAFE;
    const KAFKA_SSL_CA_FILE = '/ca.crt';
    const tls = { ...local, GRPC_TLS_CERT_FILE, GRPC_TLS_KEY_FILE, KAFKA_SSL_CA_FILE };
    expect(parseConfig(schema, tls)).toMatchObject({
      grpcSecurity: { plaintext: false, certFile: GRPC_TLS_CERT_FILE },
      kafka: { plaintext: false, caFile: KAFKA_SSL_CA_FILE },
    });
    expect(mistakes({ ...local, GRPC_TLS_CERT_FILE })).toEqual(['GRPC_TLS_KEY_FILE']);
  });
});

describe('a variable that is read no more, or in development alone', () => {
  it.each([
    ['GRPC_PLAINTEXT', 'true', /JUNCTION_ENV=development alone/],
    ['WEBHOOK_ALLOW_PRIVATE_TARGETS', 'true', /only JUNCTION_ENV=development may have/],
    ['LOGIN_LIMIT_PER_ACCOUNT', '3', /SIGN_IN_LIMITS, account=number/],
    ['REGISTER_LIMIT_WINDOW_S', '60', /SIGN_IN_LIMITS, registration=number/],
    ['REFRESH_TOKEN_REUSE_WINDOW_S', '60', /10 everywhere/],
    ['RUNBOOKS_URL', 'https://wiki.example/runbooks', /relabels junction_runbooks_info/],
  ])('is refused when %s asks for something else than what applies', (name, value, says) => {
    expect(mistakes({ ...SAFE, [name]: value })).toEqual([name]);
    expect(messageFor({ ...SAFE, [name]: value })).toMatch(says);
  });

  it('is told of, and changes nothing, when it asks for what applies', () => {
    const idle = { GRPC_PLAINTEXT: 'false', LOGIN_LIMIT_PER_ACCOUNT: '10', RUNBOOKS_URL: '' };
    expect(mistakes({ ...SAFE, ...idle })).toEqual([]);
    const told = formerSettings(idle).idle.map(({ variable }) => variable);
    expect(told).toEqual(['GRPC_PLAINTEXT', 'LOGIN_LIMIT_PER_ACCOUNT']);
    expect(formerSettings({ ...idle, JUNCTION_ENV: 'development' }).refused).toHaveLength(1);
  });
});

describe('a secret anybody can look up', () => {
  it.each([
    ['SERVICE_CLIENT_SECRET', 'change-me'],
    ['KAFKA_SASL_PASSWORD', 'password'],
    ['DATABASE_URL', 'postgres://svc:postgres@db/auth'],
    ['VAULT_KEYS', `k1:${'A'.repeat(43)}`],
    ['TOKEN_SIGNING_KEY', 'development-only-key'],
  ])('is refused in %s outside development', (name, value) => {
    expect(mistakes({ ...SAFE, [name]: value })).toContain(name);
    expect(messageFor({ ...SAFE, [name]: value })).not.toContain(value);
  });

  it('will do in development', () => {
    const env = { ...SAFE, JUNCTION_ENV: 'development', SERVICE_CLIENT_SECRET: 'change-me' };
    expect(mistakes(env)).toEqual([]);
  });
});

describe('settings that only make sense together', () => {
  it('want https for the public URL, and http for localhost alone', () => {
    expect(mistakes({ ...SAFE, PUBLIC_URL: 'http://junction.example' })).toEqual(['PUBLIC_URL']);
    const open = { ...SAFE, JUNCTION_ENV: 'development' };
    expect(mistakes({ ...open, PUBLIC_URL: 'http://junction.example' })).toEqual(['PUBLIC_URL']);
    expect(mistakes({ ...open, PUBLIC_URL: 'http://127.0.0.1:8080' })).toEqual([]);
  });

  it('want all three of the Kafka credentials or none', () => {
    expect(mistakes({ ...SAFE, KAFKA_SASL_USERNAME: 'auth' })).toEqual([
      'KAFKA_SASL_MECHANISM',
      'KAFKA_SASL_PASSWORD',
    ]);
  });

  it('want a key for the certificate that Kafka is shown', () => {
    const certificate = { KAFKA_SSL_CERT_FILE: '/tls.crt' };
    expect(mistakes({ ...SAFE, ...certificate })).toEqual(['KAFKA_SSL_KEY_FILE']);
    expect(mistakes({ ...SAFE, ...certificate, KAFKA_SSL_KEY_FILE: '/tls.key' })).toEqual([]);
  });

  it('want a token endpoint by TLS for oauthbearer, and for nothing else', () => {
    const login = { KAFKA_SASL_USERNAME: 'auth', KAFKA_SASL_PASSWORD: 'f3c1' };
    const oauth = { ...SAFE, ...login, KAFKA_SASL_MECHANISM: 'oauthbearer' };
    const KAFKA_SASL_TOKEN_URL = 'https://id.example/token';
    expect(mistakes(oauth)).toEqual(['KAFKA_SASL_TOKEN_URL']);
    expect(mistakes({ ...oauth, KAFKA_SASL_TOKEN_URL })).toEqual([]);
    expect(mistakes({ ...oauth, KAFKA_SASL_TOKEN_URL: 'http://id.example/token' })).toEqual([
      'KAFKA_SASL_TOKEN_URL',
    ]);
    const plain = { ...oauth, KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_TOKEN_URL };
    expect(mistakes(plain)).toEqual(['KAFKA_SASL_TOKEN_URL']);
  });
});

describe('a broker', () => {
  it.each(['kafka:9092', '192.0.2.1:9092', '[::1]:9092', '[2001:db8::7]:9092', 'a:1, [::1]:2'])(
    'may be %s',
    (KAFKA_BROKERS) => {
      expect(mistakes({ ...SAFE, KAFKA_BROKERS })).toEqual([]);
    },
  );

  it.each([
    'kafka',
    '::1:9092',
    '[::1]',
    '[kafka]:9092',
    'kafka:9092:1',
    'https://kafka:9092',
    'kafka:0',
    'kafka:70000',
  ])('cannot be %s', (KAFKA_BROKERS) => {
    expect(messageFor({ ...SAFE, KAFKA_BROKERS })).toMatch(/KAFKA_BROKERS.*host:port/);
  });
});

function refusal(env: Record<string, string>): ConfigError | undefined {
  try {
    parseConfig(schema, env);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

const mistakes = (env: Record<string, string>): readonly string[] =>
  [...new Set(refusal(env)?.mistakes.map(({ variable }) => variable))].sort();

const messageFor = (env: Record<string, string>): string => refusal(env)?.message ?? '';
