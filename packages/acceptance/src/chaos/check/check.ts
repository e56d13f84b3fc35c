import { checkAcknowledged } from './acknowledged.js';
import { checkEffects } from './effects.js';
import type { History, Violation } from './history.js';
import { checkOffsets } from './offsets.js';
import { checkPublished } from './published.js';
import { checkReadModels } from './read-models.js';
import { checkStreams } from './streams.js';

/** Every promise that a run did not keep, those of the writers first. Pure. */
export const checkHistory = (history: History): readonly Violation[] => [
  ...history.leftovers.map((found) => ({ promise: 'trouble leaves nothing behind', found })),
  ...checkAcknowledged(history),
  ...checkStreams(history),
  ...checkPublished(history),
  ...checkEffects(history),
  ...checkOffsets(history),
  ...checkReadModels(history),
];
