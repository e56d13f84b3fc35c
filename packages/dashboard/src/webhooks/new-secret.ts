const PREFIX = 'whsec_';
const KEY_BYTES = 32;
const SECRET_BYTES_MAX = 256;

/** A new secret, made in this browser: `whsec_` and the base64 of 32 random bytes (Standard Webhooks). */
export function newSecret(): string {
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return PREFIX + btoa(String.fromCharCode(...key));
}

/** Returns what is wrong with the length of a user's own secret; the service checks the rest. */
export function secretProblem(secret: string): string | null {
  const bytes = new TextEncoder().encode(secret).length;
  if (bytes === 0) return 'Enter the secret, or choose another option above.';
  if (bytes <= SECRET_BYTES_MAX) return null;
  return `It has ${bytes} bytes. At most ${SECRET_BYTES_MAX} are allowed.`;
}
