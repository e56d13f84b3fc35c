/** The rule for new passwords, as the server keeps it. */
export const PASSWORD_HINT =
  'At least 8 characters, and not your address, a common password or a sequence such as 12345678. A few random words are easy to remember and hard to guess.';
