import { goldenEvents } from '@junction/eventsourcing/testing';
import { connectionEvents } from './event-codec.js';

goldenEvents(connectionEvents, new URL('../../../golden/', import.meta.url));
