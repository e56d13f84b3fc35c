import type { HistoryItem } from '../api/types.js';
import type { Tone } from '../ui/tone.js';

const TONES: Readonly<Record<string, Tone>> = {
  'integration.connected': 'good',
  'integration.degraded': 'waiting',
  'integration.recovered': 'good',
  'integration.reconnect_required': 'bad',
  'integration.revoked': 'bad',
};

const ACTORS: Readonly<Record<HistoryItem['actor'], string>> = {
  user: 'by you',
  provider: 'by the provider',
  system: 'by Junction',
};

/** Returns the tone of an event by its type. The words of the event come from the API. */
export const toneOf = (type: string): Tone => TONES[type] ?? 'neutral';

export const actorWords = (actor: HistoryItem['actor']): string => ACTORS[actor];
