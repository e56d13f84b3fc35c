import { BlockWebhook } from './block-webhook.js';
import { Pauses } from './pauses.js';

/** Controls by which an operator stops what is sent, which are loaded after the numbers. */
export const StopSending = () => (
  <>
    <BlockWebhook />
    <Pauses />
  </>
);
