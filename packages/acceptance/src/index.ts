export { kafkaOutage, outages } from './rolling/outages.js';
export { type RollingRestart, rollingRestart, rollingUpgrade } from './rolling/rolling-restart.js';
