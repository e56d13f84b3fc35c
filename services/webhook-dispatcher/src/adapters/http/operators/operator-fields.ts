import { z } from 'zod';

const LIMIT_MAX = 1_000;
const LIMIT_DEFAULT = 100;

/** Number of items of a list that has one page. */
export const limit = z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT);
export const limited = z.strictObject({ limit });

export const moment = z.iso.datetime();
export const host = z.string().describe('Host of its url.');
