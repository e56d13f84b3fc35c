import { goldenEvents } from '@junction/eventsourcing/testing';
import { webhookEvents } from './event-codec.js';

goldenEvents(webhookEvents, new URL('../../../../golden/', import.meta.url));
