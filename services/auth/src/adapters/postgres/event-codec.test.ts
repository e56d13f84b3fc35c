import { goldenEvents } from '@junction/eventsourcing/testing';
import { authEvents } from './event-codec.js';

goldenEvents(authEvents, new URL('../../../golden/', import.meta.url));
