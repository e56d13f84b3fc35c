#!/usr/bin/env node
import { kafkaTopics, kafkaUsers } from '@junction/service';
import { service as auth } from '../../../services/auth/dist/src/service.js';
import { service as integrations } from '../../../services/integrations/dist/src/service.js';
import { service as dispatcher } from '../../../services/webhook-dispatcher/dist/src/service.js';
// Makes docs/configuration.md and Strimzi's KafkaUsers and KafkaTopics from the declarations of the services, in the
// folder where it runs. Needs `tsc -b` before.
//
//   reference.mjs          writes them
//   reference.mjs --check  fails when the files are not exactly that
import { configurationPage, strimziTopics, strimziUsers } from '../dist/index.js';
import { makeFiles } from './made-files.mjs';

const services = [auth, integrations, dispatcher];
const users = kafkaUsers(services);
makeFiles({
  'docs/configuration.md': configurationPage(services, users),
  'infra/k8s/strimzi/kafka-topics.yaml': strimziTopics(kafkaTopics()),
  'infra/k8s/strimzi/kafka-users.yaml': strimziUsers(users),
});
