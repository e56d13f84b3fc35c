/** Returns the name of a webhook's stream, by its id (wh_…). */
export const webhookStream = (webhookId: string): string => `webhook-${webhookId}`;
