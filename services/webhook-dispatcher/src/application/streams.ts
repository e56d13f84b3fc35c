/** The stream of a webhook (wh_…). */
export const webhookStream = (webhookId: string): string => `webhook-${webhookId}`;
