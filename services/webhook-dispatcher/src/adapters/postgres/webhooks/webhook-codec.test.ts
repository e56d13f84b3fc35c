import { goldenEvents } from '@junction/eventsourcing/testing';
import { webhookEvents } from './webhook-codec.js';

goldenEvents(webhookEvents, new URL('../../../../golden/', import.meta.url));
