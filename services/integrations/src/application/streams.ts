/** The stream of a connection: `connection-con_…`. */
export const connectionStream = (connectionId: string): string => `connection-${connectionId}`;
