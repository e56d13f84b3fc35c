import { z } from 'zod';
import { PROVIDERS } from '../../domain/connection/events.js';

export const provider = z.enum(PROVIDERS).describe('The kind of account.');
export const scopes = z.array(z.string()).readonly();
