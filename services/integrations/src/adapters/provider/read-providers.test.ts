import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { parseProviders } from './read-providers.js';

const SECRET = 'the-secret-itself';
const ENVIRONMENT: Readonly<Record<string, string>> = {
  MAILBOX_CLIENT_SECRET: SECRET,
  CALENDAR_CLIENT_SECRET: SECRET,
  DEV_PROVIDER_ISSUER: 'http://localhost:8090',
};

describe('the providers file', () => {
  it.each(['development', 'example'])('that we ship for %s is usable', (name) => {
    const providers = read(shipped(name), { allowHttp: name === 'development' });
    expect(Object.keys(providers)).toEqual(['mailbox', 'calendar']);
    expect(providers.mailbox).toMatchObject({
      clientSecret: SECRET,
      scopes: { 'mailbox.send': expect.stringContaining('send') },
      extraScopes: expect.arrayContaining(['openid']),
      revocation: 'rfc7009',
    });
  });

  it.each(['Microsoft', 'the development provider'])('explains %s as well', (name) => {
    const others = alternatives(shipped('example'));
    expect(Object.keys(others)).toEqual(['Microsoft', 'the development provider']);
    const { mailbox, calendar } = read(others[name] ?? '', { allowHttp: true });
    expect(Object.keys(mailbox?.scopes ?? {})).toEqual([
      'mailbox.readonly',
      'mailbox.send',
      'mailbox.modify',
    ]);
    expect(Object.keys(calendar?.scopes ?? {})).toEqual(['calendar.readonly', 'calendar.events']);
    // Without it neither of them gives a refresh token.
    expect(mailbox?.extraScopes).toContain('offline_access');
    expect(calendar?.extraScopes).toContain('offline_access');
  });

  it('shows for the development provider what npm start uses', () => {
    const shown = alternatives(shipped('example'))['the development provider'] ?? '';
    expect(parse(shown)).toEqual(parse(shipped('development')));
  });

  it('holds a client each for mailbox and calendar', () => {
    const one = file({});
    const [, ...fields] = one.split('\n').slice(1);
    const both = `${one}\n  calendar:\n${fields.join('\n').replace('mailbox.readonly', 'calendar.readonly')}`;
    expect(messageOf(() => read(both))).toContain(
      'providers.calendar.client_id: must be another client than that of mailbox',
    );
    expect(
      Object.keys(read(both.replace(/client_id: junction$/m, 'client_id: other'))),
    ).toHaveLength(2);
  });

  it('names the keys of security events, at the issuer when by their path alone', () => {
    const withEvents = (events: string) =>
      read(file({ security_events: events })).mailbox?.securityEvents;
    expect(withEvents('none')).toBeUndefined();
    expect(read(file({})).mailbox?.securityEvents).toBeUndefined();
    expect(withEvents('{ jwks_uri: /jwks }')).toEqual({
      issuer: 'https://provider.example',
      jwksUri: 'https://provider.example/jwks',
    });
    const elsewhere = '{ issuer: https://events.example/, jwks_uri: https://keys.example/certs }';
    expect(withEvents(elsewhere)).toEqual({
      issuer: 'https://events.example/',
      jwksUri: 'https://keys.example/certs',
    });
    for (const uri of ['http://keys.example/certs', '//keys.example/certs', 'jwks']) {
      const text = file({ security_events: `{ jwks_uri: '${uri}' }` });
      expect(messageOf(() => read(text))).toContain('providers.mailbox.security_events');
    }
  });

  it('may hold one provider alone', () => {
    expect(Object.keys(read(file({})))).toEqual(['mailbox']);
  });

  it('is refused with all its mistakes at once, and none of its values', () => {
    const text = file({
      issuer: 'http://provider.example',
      client_id: '',
      client_secret: SECRET,
      extra_scopes: '[email]',
      authorization_params: '{ state: mine }',
      revocation: 'maybe',
      surprise: 'x',
    });
    const message = messageOf(() => read(text));
    expect(message).toContain('/etc/providers.yaml is not usable');
    for (const mistake of [
      'providers.mailbox.issuer: must be https:// (http:// needs ALLOW_HTTP_ISSUER=true)',
      'providers.mailbox.client_id:',
      'providers.mailbox.client_secret: must be env:NAME',
      'providers.mailbox.extra_scopes: must hold openid',
      'providers.mailbox.authorization_params: may not set',
      'providers.mailbox.revocation:',
      'providers.mailbox: Unrecognized key: "surprise"',
    ]) {
      expect(message).toContain(mistake);
    }
    expect(message).not.toContain(SECRET);
  });

  it('names the variable that is not set', () => {
    expect(messageOf(() => read(file({ client_secret: 'env:NOT_SET' })))).toContain(
      'providers.mailbox.client_secret: the variable NOT_SET is not set',
    );
  });

  it('is refused when it holds no provider or scopes that are not ours', () => {
    expect(messageOf(() => read('providers: {}'))).toContain('must hold at least one');
    expect(messageOf(() => read(file({ scopes: '{ calendar.events: x }' })))).toContain(
      'providers.mailbox.scopes: may name only mailbox.readonly',
    );
    expect(messageOf(() => read('providers:\n  mailbox: {'))).toBe(
      'PROVIDERS_FILE: /etc/providers.yaml is not YAML (line 2).',
    );
  });
});

function file(changes: Readonly<Record<string, string>>): string {
  const fields = {
    issuer: 'https://provider.example',
    client_id: 'junction',
    client_secret: 'env:MAILBOX_CLIENT_SECRET',
    scopes: '{ mailbox.readonly: metadata }',
    extra_scopes: '[openid]',
    revocation: 'none',
    introspection: 'none',
    ...changes,
  };
  const lines = Object.entries(fields).map(([name, value]) => `    ${name}: ${value || "''"}`);
  return ['providers:', '  mailbox:', ...lines].join('\n');
}

const read = (text: string, { allowHttp = false } = {}) =>
  parseProviders(text, {
    path: '/etc/providers.yaml',
    variable: (name) => ENVIRONMENT[name],
    allowHttp,
  });

const shipped = (name: string) =>
  readFileSync(
    path.resolve(import.meta.dirname, `../../../../../infra/providers.${name}.yaml`),
    'utf8',
  );

/** What stands in comments below the settings, by what it is for. */
const alternatives = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(/^# (?=[^\n]+: put this in place)/m)
      .slice(1)
      .map((section) => {
        const [, name = ''] = /^([^:]+):/.exec(section) ?? [];
        const [, yaml = ''] = section.split(/^#\n(?=# providers:)/m);
        return [name, yaml.replaceAll(/^# ?/gm, '')];
      }),
  );

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
}
