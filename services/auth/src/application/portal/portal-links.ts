import { SERVICE_SCOPES } from '@junction/contracts';
import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import { userNotFound } from '../user-not-found.js';
import type { Portal } from './ports.js';

const TOKEN_BYTES = 32;
const SECOND_MS = 1_000;
const LINK_TTL_MS = 5 * 60 * SECOND_MS;
const SESSION_TTL_MS = 60 * 60 * SECOND_MS;

/** The rights of a portal in its user's account, as scopes of API keys. */
const PORTAL_SCOPES = ['webhooks:read', 'webhooks:write'];

export interface PortalLink {
  /** Opens the portal once. */
  readonly token: string;
  readonly expiresAt: Date;
}

export interface PortalSession extends Omit<Portal, 'clientId'> {
  readonly accessToken: string;
  readonly expiresInS: number;
  /** Takes the place of the access token when that has ended, once. */
  readonly nextToken: string;
  readonly endsAt: Date;
}

/** The webhook pages in another product's frame. `origins`: PORTAL_ORIGINS. */
export const portalLinks = (ports: Ports, origins: readonly string[]) => ({
  /**
   * A link to the pages of this user. AppError `portal_origin_not_allowed`, `user_not_found`.
   */
  async create(portal: Portal): Promise<PortalLink> {
    const { origin, appearance } = portal;
    demandOrigin(origins, origin);
    // The page of the portal may show images of these origins and of no other.
    if (appearance.logoUrl) demandOrigin(origins, new URL(appearance.logoUrl).origin);
    const token = newToken(ports);
    const expiresAt = new Date(ports.now().getTime() + LINK_TTL_MS);
    const tokenHash = hashOfSecret(token);
    if (await ports.portalTokens.keep({ ...portal, tokenHash, expiresAt })) {
      return { token, expiresAt };
    }
    throw userNotFound();
  },

  /**
   * Takes the token of a link, or the one that the answer before this one had, for an access token. AppError
   * `portal_token_invalid`.
   */
  async exchange(token: string): Promise<PortalSession> {
    const now = ports.now();
    const nextToken = newToken(ports);
    const taken = await exchanged(ports, { token, nextToken, now });
    if (taken === undefined || !origins.includes(taken.origin)) throw tokenInvalid();
    if (!(await mayOpenPortals(ports, taken.clientId))) throw tokenInvalid();

    const { userId, clientId, origin, appearance, portalId, endsAt } = taken;
    const leftS = Math.ceil((endsAt.getTime() - now.getTime()) / SECOND_MS);
    const expiresInS = Math.min(ports.accessTokens.lifetimeS, leftS);
    const granted = { userId, clientId, portalId, scopes: PORTAL_SCOPES, lifetimeS: expiresInS };
    const accessToken = await ports.accessTokens.forPortal(granted);
    return { accessToken, expiresInS, nextToken, endsAt, userId, origin, appearance };
  },
});

interface OpenPortal extends Portal {
  readonly portalId: string;
  readonly endsAt: Date;
}

interface Exchange {
  readonly token: string;
  readonly nextToken: string;
  readonly now: Date;
}

/**
 * Puts the next token in the place of one that counts. The account is locked first, as by whatever ends its portals:
 * an end comes before this and leaves no token to take, or after it and finds the next one.
 */
async function exchanged(
  { portalTokens, unitOfWork, newPortalId }: Ports,
  { token, nextToken, now }: Exchange,
): Promise<OpenPortal | undefined> {
  const tokenHash = hashOfSecret(token);
  const owner = await portalTokens.userOf(tokenHash);
  if (owner === undefined) return undefined;
  return unitOfWork.inTransaction(async (tx) => {
    const account = await tx.accounts.lock(owner);
    const taken = account && (await tx.portals.take(tokenHash, now));
    if (taken === undefined) return undefined;
    const { portalId = newPortalId() } = taken;
    const endsAt = taken.sessionEndsAt ?? new Date(now.getTime() + SESSION_TTL_MS);
    const next = { ...taken, portalId, expiresAt: endsAt, sessionEndsAt: endsAt };
    await tx.portals.keep({ ...next, tokenHash: hashOfSecret(nextToken) });
    return { ...taken, portalId, endsAt };
  });
}

/** 256 random bits behind a prefix by which leaked ones can be found. */
const newToken = ({ random }: Ports): string =>
  `jn_pt_${random(TOKEN_BYTES).toString('base64url')}`;

/** A service whose right was taken away, or that was revoked, leaves no portal open behind it. */
async function mayOpenPortals({ declaredClients, clients }: Ports, clientId: string) {
  const client = declaredClients.get(clientId) ?? (await clients.find(clientId));
  const grant = client?.grants.find(({ audience }) => audience === 'auth');
  return grant?.scopes.includes(SERVICE_SCOPES.openPortals) ?? false;
}

function demandOrigin(origins: readonly string[], origin: string): void {
  if (origins.includes(origin)) return;
  throw new AppError(
    'portal_origin_not_allowed',
    `PORTAL_ORIGINS of this installation does not list ${origin}.`,
  );
}

const tokenInvalid = (): AppError =>
  new AppError(
    'portal_token_invalid',
    'This link was used, or is too old. Load the page around this frame again.',
  );
