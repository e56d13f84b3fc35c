import { useWorld } from './world.js';

/** The dispatcher that several files of cases share, because each start takes seconds of a processor. */
export const world = useWorld(() => ({
  EVENT_TYPES_FILE: `${import.meta.dirname}/../../../infra/event-types.example.yaml`,
}));
