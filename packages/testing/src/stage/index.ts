export { readTopics } from './read-topics.js';
export { type Stage, type Surroundings, useStage } from './use-stage.js';
