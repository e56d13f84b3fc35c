import { useWorld } from './world.js';

/** The service that several files of cases share, because each start takes seconds of a processor. */
export const world = useWorld();
