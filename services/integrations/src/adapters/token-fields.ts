import { z } from 'zod';

const SCOPES_MAX = 50;
const SCOPE_CHARS_MAX = 100;

/** Fields of a worker's requests, whichever server they come through. */
export const provider = z.string().min(1).max(SCOPE_CHARS_MAX);
export const scopes = z.array(z.string().max(SCOPE_CHARS_MAX)).max(SCOPES_MAX);
export const lifetimeS = z.int().nonnegative();
export const version = z.int().positive();
