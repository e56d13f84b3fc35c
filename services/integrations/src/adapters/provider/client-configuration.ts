import type { Fetch } from '@junction/async';
import * as client from 'openid-client';
import { clientAuthentication } from './client-authentication.js';
import type { ProviderSettings } from './provider-settings.js';
import { type CallNotes, recoveringFetch } from './recovering-fetch.js';

/** Seconds. */
export const TIMEOUT_S = 10;

export const newNotes = (): CallNotes => ({ sent: false, tokens: {} });

export interface ConfigurationOptions {
  readonly settings: ProviderSettings;
  /** Replacement for Node's own `fetch`. */
  readonly fetch?: Fetch;
}

/**
 * Returns a configuration for a single call: what the call brought back is noted beside it, whatever the library makes
 * of the answer.
 */
export async function configuration(
  server: client.ServerMetadata,
  { settings, fetch }: ConfigurationOptions,
  notes: CallNotes,
): Promise<client.Configuration> {
  const { clientId, issuer } = settings;
  const listed = server.token_endpoint_auth_methods_supported;
  const authentication = await clientAuthentication(settings, listed);

  const config = new client.Configuration(server, clientId, undefined, authentication);
  config.timeout = TIMEOUT_S;
  config[client.customFetch] = recoveringFetch(notes, fetch);
  if (issuer.startsWith('http:')) client.allowInsecureRequests(config);
  return config;
}

const TENANT = '{tenantid}';

/**
 * Tells whether an issuer is a template for several tenants. Microsoft describes its endpoints for several tenants
 * (common, organizations, consumers) under an issuer with a gap for the tenant. Each tenant signs as an issuer of its
 * own, and names itself in the claim `tid`.
 */
export const hasTenants = (issuer: string): boolean => issuer.includes(TENANT);

/**
 * Returns the issuer as which a tenant signs. Undefined for a `tid` that is no text: a list of one text would pass for
 * it.
 */
export const issuerOfTenant = (issuer: string, tid: unknown): string | undefined =>
  typeof tid === 'string' ? issuer.replace(TENANT, () => tid) : undefined;

const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Tells whether a sender with this `iss` is the issuer, or one of its tenants. */
export function isIssuer(issuer: string, iss: string): boolean {
  const [before = '', after] = issuer.split(TENANT);
  if (after === undefined) return iss === issuer;
  const tenant = iss.slice(before.length, iss.length - after.length);
  return TENANT_ID.test(tenant) && iss === `${before}${tenant}${after}`;
}
