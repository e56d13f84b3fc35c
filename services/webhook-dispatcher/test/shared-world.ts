import path from 'node:path';
import { useWorld } from './world.js';

const EVENT_TYPES_FILE = path.resolve(
  import.meta.dirname,
  '../../../infra/event-types.example.yaml',
);

/** The dispatcher that several files of cases share, because each start takes seconds of a processor. */
export const world = useWorld(() => ({ EVENT_TYPES_FILE }));
