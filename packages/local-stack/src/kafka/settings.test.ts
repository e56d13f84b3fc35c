import { expect, it } from '@jest/globals';
import { asEnvironment, asProperties, kafkaSettings } from './settings.js';

const settings = kafkaSettings({
  data: '/data',
  listen: '0.0.0.0:9092',
  advertised: 'engine:9092',
  controllerPort: 9_093,
});

it('the settings of a broker are a file for a process and an environment for a container', () => {
  expect(asProperties(settings)).toContain('\nadvertised.listeners=PLAINTEXT://engine:9092\n');
  expect(asEnvironment(settings)).toMatchObject({
    KAFKA_ADVERTISED_LISTENERS: 'PLAINTEXT://engine:9092',
    KAFKA_LOG_DIRS: '/data',
    KAFKA_NODE_ID: '1',
  });
});
