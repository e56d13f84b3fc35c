#!/usr/bin/env node
import { kafkaTopics, kafkaUsers } from '@junction/service';
import { settings as authSettings } from '../../../services/auth/dist/src/config.js';
import { service as auth } from '../../../services/auth/dist/src/service.js';
import { settings as integrationsSettings } from '../../../services/integrations/dist/src/config.js';
import { service as integrations } from '../../../services/integrations/dist/src/service.js';
import { settings as dispatcherSettings } from '../../../services/webhook-dispatcher/dist/src/config.js';
import { service as dispatcher } from '../../../services/webhook-dispatcher/dist/src/service.js';
// Makes docs/configuration.md and Strimzi's KafkaUsers and KafkaTopics from the declarations of the services, in the
// folder where it runs. Needs `tsc -b` before.
//
//   reference.mjs          writes them
//   reference.mjs --check  fails when the files are not exactly that
import { configurationPage, strimziTopics, strimziUsers } from '../dist/index.js';
import { makeFiles } from './made-files.mjs';

const services = [
  { name: auth.name, settings: authSettings },
  { name: integrations.name, settings: integrationsSettings },
  { name: dispatcher.name, settings: dispatcherSettings },
];
const users = kafkaUsers([auth, integrations, dispatcher]);
makeFiles({
  'docs/configuration.md': configurationPage(services, users),
  'infra/k8s/strimzi/kafka-topics.yaml': strimziTopics(kafkaTopics()),
  'infra/k8s/strimzi/kafka-users.yaml': strimziUsers(users),
});
