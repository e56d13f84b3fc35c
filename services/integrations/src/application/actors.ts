import type { CommandContext } from './unit-of-work.js';

export const byUser = (userId: string): CommandContext['actor'] => ({ kind: 'user', id: userId });
export const bySystem: CommandContext['actor'] = { kind: 'system', id: 'integrations' };
