import { describe, expect, it } from '@jest/globals';
import {
  authEnvironment,
  integrationsEnvironment,
  mailEnvironment,
  providerEnvironment,
  type World,
  webhooksEnvironment,
} from './environment.js';
import { readSettings } from './settings.js';

describe('the environment of the children of npm start', () => {
  it('allows what a development machine needs, unless the user says otherwise', () => {
    expect(webhooksEnvironment(world({}))).toMatchObject({ JUNCTION_ENV: 'development' });
    const strict = webhooksEnvironment(world({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' }));
    expect(strict).toMatchObject({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' });
  });

  it('gives each service its own database and its own keys, and auth no client secret', () => {
    const auth = authEnvironment(world({}));
    expect(auth).toMatchObject({ AUTH_DATABASE_URL: 'postgres://auth', VAULT_KEYS: 'auth keys' });
    for (const other of [
      'INTEGRATIONS_DATABASE_URL',
      'WEBHOOKS_DATABASE_URL',
      'SERVICE_CLIENT_SECRET',
    ]) {
      expect(auth).not.toHaveProperty(other);
    }
  });

  it('has auth send mail to the development mail server, unless the user names another', () => {
    const here = world({});
    const { DEV_SMTP_PORT, DEV_MAIL_PORT } = mailEnvironment(here);
    expect(DEV_MAIL_PORT).toBe('8091');
    expect(authEnvironment(here)).toMatchObject({ SMTP_URL: `smtp://127.0.0.1:${DEV_SMTP_PORT}` });
    const SMTP_URL = 'smtps://mail.example';
    expect(authEnvironment(world({ SMTP_URL }))).toMatchObject({ SMTP_URL });
  });

  it('has the dispatcher know the kinds of event of the checkout, unless the user names another file', () => {
    const EVENT_TYPES_FILE = '/etc/event-types.yaml';
    const here = '/checkout/infra/event-types/event-types.yaml';
    expect(webhooksEnvironment(world({}))).toMatchObject({ EVENT_TYPES_FILE: here });
    expect(webhooksEnvironment(world({ EVENT_TYPES_FILE }))).toMatchObject({ EVENT_TYPES_FILE });
  });

  it('knows the clients of both development providers on both sides', () => {
    const here = world({ GLOBEX_CALENDAR_CLIENT_SECRET: 'chosen by the user' });
    expect(integrationsEnvironment(here)).toMatchObject({
      ACME_MAILBOX_CLIENT_SECRET: 'acme mailbox secret',
      ACME_CALENDAR_CLIENT_SECRET: 'acme calendar secret',
      GLOBEX_MAILBOX_CLIENT_SECRET: 'globex mailbox secret',
      GLOBEX_CALENDAR_CLIENT_SECRET: 'chosen by the user',
    });
    expect(providerEnvironment(here, 'acme')).toMatchObject({
      MAILBOX_CLIENT_SECRET: 'acme mailbox secret',
      CALENDAR_CLIENT_SECRET: 'acme calendar secret',
    });
    expect(providerEnvironment(here, 'globex')).toMatchObject({
      MAILBOX_CLIENT_SECRET: 'globex mailbox secret',
      CALENDAR_CLIENT_SECRET: 'chosen by the user',
    });
  });

  it('has both development providers where integrations looks for them, with their profiles', () => {
    const here = world({});
    const acme = providerEnvironment(here, 'acme');
    const globex = providerEnvironment(here, 'globex');
    expect(acme).toMatchObject({ PROVIDER_PROFILE: 'acme', PROVIDER_PORT: '8090' });
    expect(globex).toMatchObject({ PROVIDER_PROFILE: 'globex', PROVIDER_PORT: '8093' });
    expect(integrationsEnvironment(here)).toMatchObject({
      ACME_ISSUER: acme['PROVIDER_ISSUER'],
      GLOBEX_ISSUER: globex['PROVIDER_ISSUER'],
    });
    expect(globex).toMatchObject({
      MAILBOX_REDIRECT_URI: 'http://localhost:8080/connect/globex/mailbox/callback',
      CALENDAR_EVENTS_URI: 'http://localhost:8080/api/integrations/globex/calendar/security-events',
    });
  });

  it("puts none of its own secrets into a providers file of the user's", () => {
    const own = integrationsEnvironment(world({ PROVIDERS_FILE: '/etc/providers.yaml' }));
    expect(own).toMatchObject({ PROVIDERS_FILE: '/etc/providers.yaml' });
    expect(own).not.toHaveProperty('ACME_MAILBOX_CLIENT_SECRET');
  });
});

const each = (word: string) => ({
  auth: `auth ${word}`,
  integrations: `integrations ${word}`,
  webhooks: `webhooks ${word}`,
});

function world(outer: NodeJS.ProcessEnv): World {
  const client = 'a client secret';
  return {
    root: '/checkout',
    dataDir: '/checkout/.junction',
    ports: readSettings({}, '/checkout').ports,
    secrets: {
      databases: each('password'),
      vaults: each('keys'),
      clients: {
        producer: client,
        worker: client,
        operator: client,
        integrations: client,
        'webhook-dispatcher': client,
      },
      providers: {
        acme: { mailbox: 'acme mailbox secret', calendar: 'acme calendar secret' },
        globex: { mailbox: 'globex mailbox secret', calendar: 'globex calendar secret' },
      },
    },
    databaseUrls: {
      auth: 'postgres://auth',
      integrations: 'postgres://i',
      webhooks: 'postgres://w',
    },
    kafkaBrokers: '127.0.0.1:9092',
    serviceAccountsFile: '/checkout/.junction/service-accounts.json',
    outer,
  };
}
