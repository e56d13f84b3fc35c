/** When a delivery was made, in milliseconds since 1970: the time in its id (RFC 9562, section 5.7). */
export const madeAtMs = (deliveryId: string): number =>
  Number.parseInt(deliveryId.slice(4, 12) + deliveryId.slice(13, 17), 16);
