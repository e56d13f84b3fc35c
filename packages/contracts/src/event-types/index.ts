export { readEventTypes } from './read-event-types.js';
