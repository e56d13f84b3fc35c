/**
 * Returns whether a text comes back as it was stored. Postgres takes no NUL, and UTF-8 has no half of a surrogate
 * pair (RFC 3629, section 3): each such half becomes the same U+FFFD, so that two texts become one.
 */
export const isStorable = (text: string): boolean =>
  !text.includes('\0') && !/\p{Surrogate}/u.test(text);
