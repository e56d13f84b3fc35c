import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Provider } from '../../domain/connection/events.js';
import { clientKeyIn } from './client-key.js';

/** Scopes that a connection of each kind can have, in our names. */
const OUR_SCOPES: Readonly<Record<Provider, readonly string[]>> = {
  mailbox: ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'],
  calendar: ['calendar.readonly', 'calendar.events'],
};

const text = z.string().min(1);
/** Scope: one word (RFC 6749, section 3.3). */
export const scopeName = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one word');

/** Returns the schema of our client for a kind. `folder`: the folder that the path of its key is relative to. */
export const clientSchema = (kind: Provider, folder: string) =>
  z
    .strictObject({
      client_id: text,
      client_secret: text.optional(),
      private_key_file: privateKey(folder).optional(),
      scopes: scopes(OUR_SCOPES[kind]),
    })
    .refine(({ client_secret, private_key_file }) => client_secret ?? private_key_file, {
      path: ['client_secret'],
      error: 'must be there, or private_key_file',
    });

const privateKey = (folder: string) =>
  text.transform((file, { addIssue }) => {
    try {
      const key = clientKeyIn(readFileSync(path.resolve(folder, file), 'utf8'));
      if (key) return key;
      addIssue(
        'must hold a private key, PEM or JWK: RSA of 2048 bits or more, P-256, P-384, P-521',
      );
    } catch {
      addIssue('cannot be read');
    }
    return z.NEVER;
  });

const scopes = (ours: readonly string[]) =>
  z
    .record(z.string(), scopeName)
    .refine(
      (names) => Object.keys(names).every((scope) => ours.includes(scope)),
      `may name only ${ours.join(', ')}`,
    )
    .refine((names) => Object.keys(names).length > 0, 'must name at least one scope');
