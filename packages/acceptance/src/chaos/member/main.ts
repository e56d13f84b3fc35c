// Runs one process of a run, until it is killed. A writer ends by itself when the end file is there.
import { kafkaClient } from '@junction/messaging';
import { postgresPool } from '@junction/service/postgres';
import { logger } from '@junction/service/process';
import { consume } from './consumer.js';
import { relay } from './relay.js';
import { type MemberSettings, SETTINGS_VARIABLE } from './settings.js';
import { write } from './writer.js';

const CONNECTIONS_MAX = 8;

const settings = JSON.parse(process.env[SETTINGS_VARIABLE] ?? '') as MemberSettings;
const { name, databaseUrl, brokers } = settings;
const log = logger(name, 'warn');
const pool = postgresPool(databaseUrl, { name, max: CONNECTIONS_MAX, log });
const kafka = kafkaClient({ brokers: [brokers], clientId: name, log });

const [kind] = name.split('-');
if (kind === 'writer') await write(settings, pool);
else if (kind === 'relay') await relay(name, pool, kafka, log);
else await consume(name, pool, kafka, log);
