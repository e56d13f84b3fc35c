/** Of a status: tokens are there, and may be handed out. */
export const isLive = (status: string): boolean => status === 'active' || status === 'degraded';
