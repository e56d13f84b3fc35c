import { describe, expect, it } from '@jest/globals';
import { parseConfig } from './config.js';

const secrets = { MAILBOX_CLIENT_SECRET: 'm', CALENDAR_CLIENT_SECRET: 'c' };

describe('the environment', () => {
  it('needs no more than the two secrets', () => {
    const { port, host, issuer, clients } = parseConfig(secrets);

    expect({ port, host, issuer }).toEqual({
      port: 8090,
      host: '127.0.0.1',
      issuer: 'http://localhost:8090',
    });
    expect(clients.map(({ client_id, redirect_uris }) => [client_id, ...redirect_uris])).toEqual([
      ['junction-mailbox', 'http://localhost:8080/connect/acme/mailbox/callback'],
      ['junction-calendar', 'http://localhost:8080/connect/acme/calendar/callback'],
      ['junction-sign-in', 'http://localhost:8080/api/auth/sign-in/acme/callback'],
    ]);
  });

  it('may have the profile of Globex: another port, other addresses, other scopes', () => {
    const { profile, issuer, clients } = parseConfig({ ...secrets, PROVIDER_PROFILE: 'globex' });

    expect({ name: profile.name, issuer }).toEqual({
      name: 'Globex',
      issuer: 'http://localhost:8093',
    });
    expect(clients.map(({ redirect_uris, scope }) => [...redirect_uris, scope])).toEqual([
      [
        'http://localhost:8080/connect/globex/mailbox/callback',
        'openid email offline_access mail.read mail.send mail.write',
      ],
      [
        'http://localhost:8080/connect/globex/calendar/callback',
        'openid email offline_access cal.read cal.events',
      ],
    ]);
  });

  it('opens the control only when it says so', () => {
    expect(parseConfig(secrets).control).toBe(false);
    expect(parseConfig({ ...secrets, PROVIDER_CONTROL: 'true' }).control).toBe(true);
  });

  it('moves the issuer with the port', () => {
    expect(parseConfig({ ...secrets, PROVIDER_PORT: '9000' }).issuer).toBe('http://localhost:9000');
  });

  it('may say where each client is told what happens', () => {
    const uri = 'http://localhost:7002/events';
    const { clients } = parseConfig({ ...secrets, MAILBOX_EVENTS_URI: uri });
    expect(clients.map(({ security_events_uri }) => security_events_uri)).toEqual([uri, undefined]);
    expect(() => parseConfig({ ...secrets, MAILBOX_EVENTS_URI: 'nowhere' })).toThrow(
      'MAILBOX_EVENTS_URI must be an http or https URL',
    );
  });

  it('may name other clients', () => {
    const client = {
      client_id: 'x',
      client_secret: 'y',
      redirect_uris: ['http://localhost/callback'],
      scope: 'openid calendar.events',
    };

    expect(parseConfig({ PROVIDER_CLIENTS: JSON.stringify([client]) }).clients).toEqual([client]);
  });

  it('is refused with every mistake named and no value shown', () => {
    const parse = () =>
      parseConfig({
        CALENDAR_CLIENT_SECRET: 'c',
        PROVIDER_PROFILE: 'constructor',
        PROVIDER_PORT: 'http',
        PROVIDER_ISSUER: 'localhost',
        PROVIDER_ACCESS_TOKEN_TTL_S: '0',
      });

    expect(parse).toThrow(
      [
        'The environment is wrong:',
        '- PROVIDER_PROFILE must be acme or globex',
        '- PROVIDER_PORT must be a whole number from 1 to 65535',
        '- PROVIDER_ACCESS_TOKEN_TTL_S must be a whole number from 1 to 86400',
        '- PROVIDER_ISSUER must be an http or https URL',
        '- MAILBOX_CLIENT_SECRET must be set',
      ].join('\n'),
    );
  });

  it.each([
    'no json',
    '[]',
    '[{"client_id":"x"}]',
    '[{"client_id":"x","client_secret":"y","redirect_uris":["http://localhost/"],"scope":"root"}]',
  ])('is refused with the clients %s', (clients) => {
    expect(() => parseConfig({ PROVIDER_CLIENTS: clients })).toThrow('PROVIDER_CLIENTS must be');
  });
});
