import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseProviders } from './read-providers.js';

const SECRET = 'the-secret-itself';

describe('the providers file', () => {
  it.each([
    ['development', ['acme', 'globex']],
    ['example', ['google', 'microsoft']],
  ])('that we ship for %s is usable', (name, ids) => {
    const providers = read(shipped(name), { allowHttp: name === 'development' });
    expect(providers.map(({ id }) => id)).toEqual(ids);
    for (const { displayName, clients } of providers) {
      expect(displayName).not.toBe('');
      const [mailbox, calendar] = [clients.get('mailbox'), clients.get('calendar')];
      expect(mailbox).toMatchObject({ clientSecret: SECRET });
      expect(mailbox?.extraScopes).toContain('openid');
      expect(Object.keys(mailbox?.scopes ?? {})).toEqual([
        'mailbox.readonly',
        'mailbox.send',
        'mailbox.modify',
      ]);
      expect(Object.keys(calendar?.scopes ?? {})).toEqual(['calendar.readonly', 'calendar.events']);
    }
  });

  it('that we ship as an example asks each provider for refresh tokens in its own way', () => {
    const [google, microsoft] = read(shipped('example'));
    const params = google?.clients.get('mailbox')?.authorizationParams;
    expect(params).toEqual({ access_type: 'offline', prompt: 'consent' });
    expect(microsoft?.clients.get('mailbox')?.extraScopes).toContain('offline_access');
  });

  it('holds a client each for mailbox and calendar', () => {
    const calendar = (id: string) => ({
      calendar: `{ client_id: ${id}, client_secret: env:S, scopes: { calendar.events: e } }`,
    });
    expect(messageOf(() => read(file(calendar('junction'))))).toContain(
      'identity_providers.acme.calendar.client_id: must be another client than that of mailbox',
    );
    const [acme] = read(file(calendar('other')));
    expect([...(acme?.clients ?? [])].map(([kind, { clientId }]) => [kind, clientId])).toEqual([
      ['mailbox', 'junction'],
      ['calendar', 'other'],
    ]);
  });

  it('names the keys of security events, at the issuer when by their path alone', () => {
    const eventsOf = (changes: Readonly<Record<string, string>>) =>
      read(file(changes))[0]?.clients.get('mailbox')?.securityEvents;
    const withEvents = (events: string) => eventsOf({ security_events: events });
    expect(withEvents('none')).toBeUndefined();
    expect(eventsOf({})).toBeUndefined();
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
      expect(messageOf(() => read(text))).toContain('identity_providers.acme.security_events');
    }
  });

  it('has authorization requests pushed where it says so', () => {
    const isPushed = (changes: Readonly<Record<string, string>>) =>
      read(file(changes))[0]?.clients.get('mailbox')?.pushesAuthorizations;
    expect(isPushed({})).toBe(false);
    expect(isPushed({ require_pushed_authorization_requests: 'true' })).toBe(true);
  });

  it('takes an icon that the pages may show', () => {
    const icon = (value: string) => read(file({ icon: value }))[0]?.icon;
    expect(icon('data:image/svg+xml;base64,PHN2Zy8+')).toBe('data:image/svg+xml;base64,PHN2Zy8+');
    for (const value of ['https://acme.example/icon.svg', 'data:text/html;base64,PHN2Zy8+']) {
      expect(messageOf(() => icon(value))).toContain('identity_providers.acme.icon: must be');
    }
  });

  it('is refused with all its mistakes at once, and none of its values', () => {
    const text = file({
      display_name: '',
      issuer: 'http://provider.example',
      extra_scopes: '[email]',
      authorization_params: '{ state: mine }',
      revocation: 'maybe',
      mailbox: `{ client_id: '', client_secret: ${SECRET}, scopes: { calendar.events: x } }`,
      surprise: 'x',
    });
    const message = messageOf(() => read(text));
    expect(message).toContain('/etc/providers.yaml is not usable');
    for (const mistake of [
      'identity_providers.acme.display_name:',
      'identity_providers.acme.issuer: must be https:// (http:// needs JUNCTION_ENV=development)',
      'identity_providers.acme.mailbox.client_id:',
      'identity_providers.acme.mailbox.client_secret: must be env:NAME',
      'identity_providers.acme.mailbox.scopes: may name only mailbox.readonly',
      'identity_providers.acme.extra_scopes: must hold openid',
      'identity_providers.acme.authorization_params: may not set',
      'identity_providers.acme.revocation:',
      'identity_providers.acme: Unrecognized key: "surprise"',
    ]) {
      expect(message).toContain(mistake);
    }
    expect(message).not.toContain(SECRET);
  });

  it('has clients prove themselves by a secret, by a key in a file beside it, or as it says', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'providers-'));
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'ours' };
    const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey;
    await writeFile(path.join(folder, 'key.pem'), pem);
    await writeFile(path.join(folder, 'key.jwk'), JSON.stringify(jwk));
    await writeFile(path.join(folder, 'weak.jwk'), JSON.stringify(weak.export({ format: 'jwk' })));
    await writeFile(path.join(folder, 'secret.txt'), SECRET);
    const at = { path: path.join(folder, 'providers.yaml') };
    const proving = (by: string, changes = {}) => {
      const mailbox = `{ client_id: j, ${by} scopes: { mailbox.send: s } }`;
      return read(file({ mailbox, ...changes }), at)[0]?.clients.get('mailbox');
    };
    const method = (value: string) => ({ token_endpoint_auth_method: value });

    expect(proving('private_key_file: key.pem,')).toMatchObject({
      clientSecret: undefined,
      clientKey: { alg: 'ES384', kid: undefined },
      authMethod: undefined,
    });
    expect(
      proving(`private_key_file: ${folder}/key.jwk,`, method('private_key_jwt')),
    ).toMatchObject({ clientKey: { alg: 'ES384', kid: 'ours' }, authMethod: 'private_key_jwt' });
    const place = 'identity_providers.acme.mailbox';
    for (const [by, changes, mistake] of [
      ['', {}, `${place}.client_secret: must be there, or private_key_file`],
      ['private_key_file: none.pem,', {}, `${place}.private_key_file: cannot be read`],
      ['private_key_file: secret.txt,', {}, `${place}.private_key_file: must hold a private key`],
      ['private_key_file: weak.jwk,', {}, `${place}.private_key_file: must hold a private key`],
      [
        'client_secret: env:S,',
        method('private_key_jwt'),
        `${place}.private_key_file: must be there`,
      ],
      [
        'private_key_file: key.pem,',
        method('client_secret_basic'),
        `${place}.client_secret: must be`,
      ],
      ...['client_secret_jwt', 'tls_client_auth', 'none'].map(
        (name) =>
          [
            'client_secret: env:S,',
            method(name),
            `identity_providers.acme.token_endpoint_auth_method: must be client_secret_post, client_secret_basic, private_key_jwt: there is no ${name} here`,
          ] as const,
      ),
      [
        'client_secret: env:S,',
        method('env:S'),
        'identity_providers.acme.token_endpoint_auth_method: must be client_secret_post',
      ],
    ] as const) {
      const message = messageOf(() => proving(by, changes));
      expect(message).toContain(mistake);
      expect(message).not.toContain(SECRET);
    }
    await rm(folder, { recursive: true });
  });

  it('names the variable that is not set', () => {
    const mailbox = '{ client_id: a, client_secret: env:NOT_SET, scopes: { mailbox.send: s } }';
    expect(messageOf(() => read(file({ mailbox })))).toContain(
      'identity_providers.acme.mailbox.client_secret: the variable NOT_SET is not set',
    );
  });

  it('is refused in its former form, and the new form is shown', () => {
    const message = messageOf(() => read('providers:\n  mailbox: {}'));
    expect(message).toContain('the identity providers stand under identity_providers');
    expect(message).toContain('display_name: Google');
  });

  it('is refused when it holds no provider, one of no kind, or one with a name of ours', () => {
    expect(messageOf(() => read('identity_providers: {}'))).toContain('must hold at least one');
    expect(messageOf(() => read(file({ mailbox: '~' })))).toContain('identity_providers.acme');
    for (const id of ['mailbox', 'Acme', 'a/b', 'con_1']) {
      expect(messageOf(() => read(file({}).replace('acme', id)))).toContain('identity_providers');
    }
    expect(messageOf(() => read('identity_providers:\n  acme: {'))).toBe(
      'PROVIDERS_FILE: /etc/providers.yaml is not YAML (line 2).',
    );
  });
});

function file(changes: Readonly<Record<string, string>>): string {
  const fields = {
    display_name: 'Acme',
    issuer: 'https://provider.example',
    extra_scopes: '[openid]',
    revocation: 'none',
    introspection: 'none',
    mailbox:
      '{ client_id: junction, client_secret: env:S, scopes: { mailbox.readonly: metadata } }',
    ...changes,
  };
  const lines = Object.entries(fields).map(([name, value]) => `    ${name}: ${value || "''"}`);
  return ['identity_providers:', '  acme:', ...lines].join('\n');
}

const read = (text: string, { allowHttp = false, path = '/etc/providers.yaml' } = {}) =>
  parseProviders(text, {
    path,
    variable: (name) => {
      if (name.endsWith('_ISSUER')) return 'http://localhost:8090';
      return name === 'NOT_SET' ? undefined : SECRET;
    },
    allowHttp,
  });

const shipped = (name: string) =>
  readFileSync(
    path.resolve(import.meta.dirname, `../../../../../infra/providers.${name}.yaml`),
    'utf8',
  );

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
}
